// What the charts ask of the page they are on.

const root = document.documentElement;
const system = matchMedia('(prefers-color-scheme: dark)');

export const Page = {
  // make builds an element; handlers are properties, everything else is an attribute.
  make(tag: string, attributes: Record<string, unknown>, ...children: (Node | string)[]): HTMLElement {
    const e = document.createElement(tag);
    for (const [k, v] of Object.entries(attributes)) k.startsWith('on') ? (e as any)[k] = v : e.setAttribute(k, String(v));
    e.append(...children);
    return e;
  },
  dark(): boolean { return root.dataset.theme ? root.dataset.theme === 'dark' : system.matches; },
  colour(element: Element, property: string): string { return (getComputedStyle(element) as any)[property]; },
};

type Listener = () => void;
const listeners = new Set<Listener>();
const tell = () => listeners.forEach(f => f());
system.addEventListener('change', tell);

// onScheme calls back whenever the page turns light or dark.
export function onScheme(f: Listener): () => void {
  listeners.add(f);
  return () => listeners.delete(f);
}

const kept = 'kedge-theme';

// setTheme fixes light or dark, or leaves it to the system.
export function setTheme(theme: '' | 'light' | 'dark') {
  if (theme) root.dataset.theme = theme; else delete root.dataset.theme;
  try { theme ? localStorage.setItem(kept, theme) : localStorage.removeItem(kept); } catch { /* a browser that keeps nothing */ }
  tell();
}

export function theme(): '' | 'light' | 'dark' { return (root.dataset.theme || '') as '' | 'light' | 'dark'; }

try {
  const was = localStorage.getItem(kept);
  if (was === 'light' || was === 'dark') root.dataset.theme = was;
} catch { /* the same */ }
