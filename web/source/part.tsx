// Pieces that pages have in common: a part with its title, a table, a choice.
import {h} from 'preact';
import type {ComponentChildren} from 'preact';

type Cell = ComponentChildren;

export function Part({title, children}: {title: string; children?: Cell}) {
  const id = 't-' + title.replace(/\W+/g, '-').toLowerCase();
  return <section aria-labelledby={id}><h2 id={id}>{title}</h2>{children}</section>;
}

// Grid is a table. A head that begins with # is of numbers, one with ~ is for who cannot see it, and one that is missing has no column; the first cell names its row.
export const Grid = ({label, heads, rows, look}: {label: string; heads: (string | false | undefined)[]; rows: Cell[][]; look?: string}) => {
  const kind = (i: number) => (heads[i] as string)[0] === '#' ? 'number' : undefined, there = (_: unknown, i: number) => heads[i] !== false && heads[i] !== undefined;
  return <div class="scroll" tabIndex={0} role="region" aria-label={label + ': table'}><table class={look}>
    <thead><tr>{heads.map((head, i) => there(0, i) && <th scope="col" class={kind(i)}>{(head as string)[0] === '~' ? <span class="unseen">{(head as string).slice(1)}</span> : (head as string).replace('#', '')}</th>)}</tr></thead>
    <tbody>{rows.map(r => <tr>{r.map((c, i) => there(0, i) && (i ? <td class={kind(i)}>{c}</td> : <th scope="row">{c}</th>))}</tr>)}</tbody>
  </table></div>;
};

// Choice is a list to choose an entry from.
export const Choice = ({label, names, value, onChange}: {label: string; names: string[]; value: number; onChange: (i: number) => void}) => names.length < 2 ? null :
  <label class="field">{label} <select value={value} onChange={e => onChange(+e.currentTarget.value)}>{names.slice(0, 200).map((n, i) => <option value={i}>{n}</option>)}</select></label>;
