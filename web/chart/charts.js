'use strict';
// Interactive charts: one uPlot instance for every element with data-graph.

const Numbers = (() => {
  const thin = '\u202f', raise = s => s.replace(/[-0-9]/g, c => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(c)]);
  const minus = s => s.replace('-', '−');
  const power = (v, n) => {
    const [mantissa, exponent] = v.toExponential(n - 1).split('e');
    const ten = '10' + raise(String(+exponent));
    return +mantissa === 1 ? ten : minus(mantissa) + thin + '×' + thin + ten;
  };
  // digits shows v with n significant digits; exact says that trailing zeros are noise.
  const digits = (v, n, exact) => {
    if (v === 0) return '0';
    const a = Math.abs(v);
    if (a < 1e-4 || a >= 1e9) return power(v, exact ? 1 : Math.min(n, 3));
    const s = v.toFixed(Math.max(0, n - 1 - Math.floor(Math.log10(a))));
    return minus(exact ? String(+s) : s);
  };
  const percent = (v, n, exact) => {
    const a = Math.abs(v);
    return v === 0 || a >= 1e-5 && a < 1e4 ? digits(100 * v, n, exact) + thin + '%' : power(v, exact ? 1 : n);
  };
  return {digits, percent};
})();

class Chart {
  constructor(place, graph) {
    this.place = place;
    this.graph = graph;
    this.log = graph.log;
    this.hidden = new Set();
    this.format = (v, exact) => graph.percent ? Numbers.percent(v, 3, exact) : Numbers.digits(v, graph.digits, exact);
    this.align();
    this.controls();
    this.draw();
    new ResizeObserver(() => this.fit()).observe(this.plot);
  }

  // align puts all lines over common places; where a line has none there, it has a gap that is drawn over.
  align() {
    let x;
    const tables = this.graph.lines.map(l => {
      x = l.x || x;
      return l.low ? [x, l.mean, l.low, l.high] : [x, l.mean];
    });
    this.data = tables.length > 1 ? uPlot.join(tables) : tables[0];
    let at = 1;
    this.lines = this.graph.lines.map(l => {
      const line = {...l, mean: at, low: l.low ? at + 1 : 0, high: l.low ? at + 2 : 0};
      at += l.low ? 3 : 1;
      return line;
    });
  }

  controls() {
    const {make} = Page, title = this.graph.title;
    const scale = (name, log) => make('button', {type: 'button', 'aria-pressed': String(this.log === log), onclick: () => this.scale(log)}, name);
    this.axis = make('div', {class: 'axis', role: 'group', 'aria-label': title + ': vertical axis'}, scale('log', true), scale('linear', false));
    this.reset = make('button', {type: 'button', class: 'reset', onclick: () => this.all()}, 'Reset zoom');
    this.turn = make('span', {class: 'turn'});
    this.live = make('p', {class: 'unseen', role: 'status'});
    this.legend = make('ul', {class: 'legend', 'aria-label': title + ': methods'}, ...this.lines.map((l, i) => this.entry(l, i)));
    this.plot = make('div', {class: 'plot', tabindex: '0', role: 'group', 'aria-label': title + ': chart', onkeydown: e => this.key(e)});
    this.place.append(make('div', {class: 'controls'}, this.axis, this.reset, this.turn),
      make('p', {class: 'label'}, this.graph.label), this.plot, this.legend, this.live);
  }

  entry(line, i) {
    const {make} = Page;
    line.reading = make('span', {class: 'reading'});
    line.swatch = make('canvas', {class: 'swatch', width: 48, height: 26, 'aria-hidden': 'true'});
    line.button = make('button', {type: 'button', 'aria-pressed': 'true', onclick: () => this.toggle(i)},
      line.swatch, make('span', {}, line.name), line.reading);
    return make('li', {}, line.button);
  }

  ink(line, alpha) { return (Page.dark() ? line.dark : line.light) + (alpha || ''); }

  // swatches repeat the look of the lines; a canvas, since a page that runs no foreign style can still draw.
  swatches() {
    for (const l of this.lines) {
      const c = l.swatch.getContext('2d');
      c.clearRect(0, 0, 48, 26);
      if (l.low) {
        c.fillStyle = this.ink(l, '40');
        c.fillRect(0, 3, 48, 20);
      }
      c.strokeStyle = this.ink(l);
      c.lineWidth = 4;
      c.setLineDash((l.dash || []).map(d => 2 * d));
      c.beginPath();
      c.moveTo(0, 13);
      c.lineTo(48, 13);
      c.stroke();
    }
  }

  draw(x) {
    if (this.u) this.u.destroy();
    this.u = new uPlot(this.options(), this.data, this.plot);
    if (x) this.u.setScale('x', x);
    this.swatches();
    this.read();
  }

  // options is what uPlot is told.
  options() {
    const text = () => Page.colour(this.turn, 'color'), faint = () => Page.colour(this.plot, 'borderTopColor');
    const font = '12px system-ui, sans-serif';
    const axis = {stroke: text, font, grid: {stroke: faint, width: 1}, ticks: {stroke: faint, width: 1, size: 5}};
    const tens = log => (u, splits) => log ? splits.map(v => v && Math.abs(Math.log10(v) % 1) < 1e-9 ? v : null) : splits;
    // A logarithmic axis can begin anywhere; only one digit and zeros are worth a label.
    const round = (v, log) => v != null && (!log || +v.toPrecision(1) === +v.toPrecision(6));
    const means = new Map(this.lines.map(l => [l.mean, l]));
    return {
      width: this.plot.clientWidth, height: this.height(),
      legend: {show: false},
      scales: {x: {time: false, distr: this.graph.logx ? 3 : 1, log: 10}, y: {distr: this.log ? 3 : 1, log: 10, range: (u, lo, hi) => this.range(lo, hi)}},
      axes: [
        {...axis, grid: {...axis.grid, filter: tens(this.graph.logx)}, size: 30, label: this.graph.along, labelSize: 18, labelFont: font, values: (u, v) => v.map(x => round(x, this.graph.logx) ? String(+x.toPrecision(6)) : '')},
        {...axis, grid: {...axis.grid, filter: tens(this.log)}, size: 62, values: (u, v) => v.map(x => round(x, this.log) ? this.format(x, true) : '')},
      ],
      series: [{}, ...this.lines.flatMap(l => this.series(l))],
      bands: this.lines.filter(l => l.low).map(l => ({series: [l.high, l.low], fill: () => this.ink(l, '38')})),
      cursor: {
        drag: {x: true, y: true, uni: 24, dist: 4},
        points: {size: (u, i) => means.has(i) ? 7 : 0},
        dataIdx: (u, i, at) => this.nearest(i, at),
        sync: {key: this.graph.along, filters: {pub: type => type === 'mousemove' || type === 'mouseleave'}},
      },
      hooks: {setCursor: [() => this.read()], draw: [u => this.rules(u)]},
    };
  }

  series(l) {
    const show = !this.hidden.has(l.name), spanGaps = true, points = {show: this.data[0].length < 40, size: 6};
    const edge = {show, points: {show: false}, spanGaps, width: 0, stroke: 'transparent'};
    return [{show, points, spanGaps, width: 2, stroke: () => this.ink(l), dash: l.dash}, ...(l.low ? [edge, edge] : [])];
  }

  height() { return this.plot.clientWidth < 480 ? 260 : 320; }

  fit() {
    const width = this.plot.clientWidth;
    if (width && width !== this.u.width) this.u.setSize({width, height: this.height()});
  }

  // range leaves some air, holds the rules and, on a logarithmic axis, nothing that has no logarithm.
  range(lo, hi) {
    const levels = this.graph.rules.map(r => r.value).filter(v => !this.log || v > 0);
    if (lo == null || !(lo <= hi)) [lo, hi] = this.log ? [.1, 1] : [0, 1];
    lo = Math.min(lo, ...levels);
    hi = Math.max(hi, ...levels);
    if (!this.log) {
      const air = .05 * (hi - lo) || Math.abs(hi) || 1;
      return [lo - air, hi + air];
    }
    lo = Math.max(lo, 1e-16);
    hi = Math.max(hi, lo);
    const air = Math.max(Math.pow(hi / lo, .05), 1.1);
    return [lo / air, hi * air];
  }

  // rules draws the levels to compare with and names them below their lines, apart from each other: methods that settle at a
  // level come from above.
  rules(u) {
    const c = u.ctx, k = uPlot.pxRatio, {left, top, width, height} = u.bbox, bottom = top + height;
    const shown = this.graph.rules.filter(r => !this.log || r.value > 0)
      .map(r => ({label: r.label, y: u.valToPos(r.value, 'y', true)}))
      .filter(r => r.y >= top && r.y <= bottom).sort((a, b) => a.y - b.y);
    c.save();
    c.strokeStyle = c.fillStyle = Page.colour(this.place, 'color');
    c.font = 12 * k + 'px system-ui, sans-serif';
    c.textAlign = 'right';
    let last = top;
    for (const rule of shown) {
      c.setLineDash([5 * k, 4 * k]);
      c.lineWidth = k;
      c.beginPath();
      c.moveTo(left, rule.y);
      c.lineTo(left + width, rule.y);
      c.stroke();
      const above = rule.y - 8 * k, below = rule.y + 17 * k;
      const y = Math.max(below > bottom ? above : below, last + 15 * k);
      if (y < bottom) this.label(c, rule.label, left + width - 4 * k, last = y, k);
    }
    c.restore();
  }

  // label writes with a halo, so that lines below stay out of the way.
  label(c, text, x, y, k) {
    const {strokeStyle} = c;
    c.setLineDash([]);
    c.lineWidth = 4 * k;
    c.lineJoin = 'round';
    c.strokeStyle = Page.colour(document.body, 'backgroundColor');
    c.strokeText(text, x, y);
    c.strokeStyle = strokeStyle;
    c.fillText(text, x, y);
  }

  // nearest finds the place next to the cursor at which a line was measured.
  nearest(i, at) {
    const v = this.data[i];
    for (let d = 0; i && d < v.length; d++) {
      if (v[at - d] != null) return at - d;
      if (v[at + d] != null) return at + d;
    }
    return at;
  }

  // read shows the values at the cursor, without one those at the end.
  read() {
    if (!this.u) return;
    const {idx} = this.u.cursor, last = this.data[0].length - 1, at = idx ?? last;
    this.turn.textContent = this.graph.along + ' ' + this.data[0][at] + (idx == null ? ' (last)' : '');
    for (const l of this.lines) {
      const j = this.nearest(l.mean, at), v = i => this.format(this.data[i][j]);
      l.reading.textContent = v(l.mean) + (l.low && this.data[l.low][j] < this.data[l.high][j] ? ' (' + v(l.low) + ' … ' + v(l.high) + ')' : '');
    }
  }

  scale(log) {
    this.log = log;
    [...this.axis.children].forEach((b, i) => b.setAttribute('aria-pressed', String(log === !i)));
    const {min, max} = this.u.scales.x;
    this.draw({min, max});
  }

  toggle(i) {
    const l = this.lines[i], show = this.hidden.delete(l.name);
    if (!show) this.hidden.add(l.name);
    l.button.setAttribute('aria-pressed', String(show));
    for (const s of [l.mean, l.low, l.high]) if (s) this.u.setSeries(s, {show});
  }

  // all shows everything again.
  all() { this.u.setData(this.data); }

  zoom(by) {
    const {min, max} = this.u.scales.x, x = this.data[0], at = this.u.cursor.idx;
    const centre = at == null ? (min + max) / 2 : x[at];
    const lo = Math.max(x[0], centre - (centre - min) * by), hi = Math.min(x[x.length - 1], centre + (max - centre) * by);
    if (hi > lo) this.u.setScale('x', {min: lo, max: hi});
  }

  // step moves the cursor along the axis and tells it to who cannot see it.
  step(by) {
    const x = this.data[0], {min, max} = this.u.scales.x;
    const from = this.u.cursor.idx ?? (by > 0 ? -1 : x.length);
    let at = Math.min(Math.max(from + by, 0), x.length - 1);
    while (at < x.length - 1 && x[at] < min) at++;
    while (at > 0 && x[at] > max) at--;
    const shown = this.lines.filter(l => !this.hidden.has(l.name));
    const y = shown.length ? this.u.valToPos(this.data[shown[0].mean][this.nearest(shown[0].mean, at)], 'y') : 0;
    this.u.setCursor({left: this.u.valToPos(x[at], 'x'), top: Math.min(Math.max(y, 0), this.u.over.clientHeight)});
    this.live.textContent = this.turn.textContent + ': ' + shown.map(l => l.name + ' ' + l.reading.textContent).join(', ');
  }

  key(e) {
    const far = Math.max(1, Math.round(this.data[0].length / 20)), by = e.shiftKey ? far : 1;
    const does = {
      ArrowRight: () => this.step(by), ArrowLeft: () => this.step(-by), PageUp: () => this.step(far), PageDown: () => this.step(-far),
      Home: () => this.step(-this.data[0].length), End: () => this.step(this.data[0].length),
      '+': () => this.zoom(.5), '=': () => this.zoom(.5), '-': () => this.zoom(2), Escape: () => this.all(), '0': () => this.all(),
    }[e.key];
    if (!does || e.ctrlKey || e.metaKey || e.altKey) return;
    e.preventDefault();
    does();
  }

  recolour() {
    this.u.redraw(false, true);
    this.swatches();
  }
}
