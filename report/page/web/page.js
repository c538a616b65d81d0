'use strict';
// What a page does with scripts: theme, charts, sorting, filtering, copying, saving. Without them it shows figures instead.

const Page = {
  // make builds an element; handlers are properties, everything else is an attribute.
  make(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) k.startsWith('on') ? e[k] = v : e.setAttribute(k, v);
    e.append(...children);
    return e;
  },
  root: document.documentElement,
  system: matchMedia('(prefers-color-scheme: dark)'),
  dark() { return Page.root.dataset.theme ? Page.root.dataset.theme === 'dark' : Page.system.matches; },
  colour(element, property) { return getComputedStyle(element)[property]; },
  all(selector, within) { return [...(within || document).querySelectorAll(selector)]; },

  theme(charts) {
    const button = Page.make('button', {type: 'button', class: 'theme'}, 'Dark mode');
    const show = () => {
      button.setAttribute('aria-pressed', String(Page.dark()));
      charts.forEach(c => c.recolour());
    };
    button.onclick = () => {
      Page.root.dataset.theme = Page.dark() ? 'light' : 'dark';
      show();
    };
    Page.system.addEventListener('change', show);
    document.querySelector('header').append(button);
    show();
  },

  // value is what a cell is sorted by: its number, not-a-numbers and absent ones last, otherwise its text.
  value(cell) {
    const d = cell && cell.querySelector('data');
    return d ? Number(d.value) : cell ? cell.textContent.trim() : '';
  },

  compare(a, b, sign) {
    const missing = v => v === '' || Number.isNaN(v);
    if (missing(a) || missing(b)) return missing(a) - missing(b);
    if (typeof a === 'number' && typeof b === 'number') return sign * (a - b);
    return sign * String(a).localeCompare(String(b), 'en', {numeric: true});
  },

  sortable(table) {
    const heads = Page.all('thead th', table), body = table.tBodies[0];
    heads.forEach((th, i) => {
      const button = Page.make('button', {type: 'button'}, ...th.childNodes);
      button.onclick = () => {
        const sign = th.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
        heads.forEach(h => h.removeAttribute('aria-sort'));
        th.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
        const rows = [...body.rows].map(r => [Page.value(r.cells[i]), r]);
        body.append(...rows.sort((a, b) => Page.compare(a[0], b[0], sign)).map(r => r[1]));
      };
      th.append(button);
    });
  },

  // filterable gives every column that has choices a menu of them.
  filterable(table) {
    const heads = Page.all('thead th', table), rows = [...table.tBodies[0].rows];
    const text = (row, i) => row.cells[i].firstChild ? row.cells[i].firstChild.textContent : '';
    const menus = heads.flatMap((th, i) => {
      if (!('choices' in th.dataset)) return [];
      const choices = [...new Set(rows.map(r => text(r, i)))];
      const menu = Page.make('select', {onchange: () => filter()}, ...['any', ...choices].map((c, n) => Page.make('option', {value: n ? 'is ' + c : ''}, c)));
      return [{i, menu, label: Page.make('label', {}, th.textContent, menu)}];
    });
    if (!menus.length) return;
    const status = Page.make('span', {role: 'status', class: 'turn'});
    const filter = () => {
      for (const r of rows) r.hidden = menus.some(m => m.menu.value && m.menu.value !== 'is ' + text(r, m.i));
      status.textContent = rows.filter(r => !r.hidden).length + ' of ' + rows.length + ' rows';
    };
    table.parentElement.before(Page.make('div', {class: 'filters'}, ...menus.map(m => m.label), status));
    filter();
  },

  copyable(pre) {
    const name = 'Copy ' + pre.dataset.copy, button = Page.make('button', {type: 'button', class: 'copy'}, name);
    button.onclick = async () => {
      try {
        await navigator.clipboard.writeText(pre.textContent);
      } catch {
        getSelection().selectAllChildren(pre);
        document.execCommand('copy');
      }
      button.textContent = 'Copied';
      setTimeout(() => button.textContent = name, 1500);
    };
    const box = Page.make('div', {class: 'code'});
    pre.replaceWith(box);
    box.append(pre, button);
  },

  // saved lets an SVG be saved from the page itself, so that a page sent alone can still give it.
  saved(link) {
    link.onclick = () => {
      const svg = link.closest('figure').querySelector('svg');
      const url = URL.createObjectURL(new Blob([svg.outerHTML], {type: 'image/svg+xml'}));
      link.href = url;
      setTimeout(() => URL.revokeObjectURL(url), 1e4);
    };
  },

  start() {
    Page.root.classList.add('scripted');
    const data = document.getElementById('graphs');
    const graphs = data ? JSON.parse(data.textContent) : [];
    const charts = Page.charts = Page.all('[data-graph]').map(place => new Chart(place, graphs[place.dataset.graph]));
    Page.theme(charts);
    Page.all('table').forEach(t => { Page.filterable(t); Page.sortable(t); });
    Page.all('pre[data-copy]').forEach(Page.copyable);
    Page.all('a[href$=".svg"]').forEach(Page.saved);
  },
};
Page.start();
