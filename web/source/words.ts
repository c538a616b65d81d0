// Numbers, times and names as people read them.
import {Numbers} from 'charts';
import type {Called, Names} from './api';

export const number = (v: number | null | undefined, digits = 5) => v == null || !isFinite(v) ? '–' : Numbers.digits(v, digits, true);
export const vector = (u: number[] | null | undefined, digits = 5) => u ? '[' + u.slice(0, 8).map(v => number(v, digits)).join(', ') + (u.length > 8 ? `, … ${u.length} numbers` : '') + ']' : '–';
export const count = (n: number) => n.toLocaleString('en').replace(/,/g, '\u202f');

const spans: [number, string][] = [[86400, 'd'], [3600, 'h'], [60, 'min'], [1, 's']];

// span is a time in seconds, in its two largest units.
export function span(seconds: number): string {
  const s = Math.abs(Math.round(seconds));
  if (s < 1) return Math.round(1000 * Math.abs(seconds)) + '\u202fms';
  const i = spans.findIndex(([n]) => s >= n), [n, unit] = spans[i], whole = Math.floor(s / n);
  const next = spans[i + 1], rest = next ? Math.floor((s - whole * n) / next[0]) : 0;
  return `${whole}\u202f${unit}` + (rest && whole < 10 ? ` ${rest}\u202f${next[1]}` : '');
}

export const ago = (t: string | Date, now = Date.now()) => span((now - +new Date(t)) / 1000);

// when is a time of day, with the day unless that is today.
export function when(t: string | Date): string {
  const d = new Date(t), today = new Date();
  const clock = d.toLocaleTimeString('en-GB', {hour: '2-digit', minute: '2-digit', ...(Math.abs(+today - +d) < 600_000 ? {second: '2-digit'} : {})});
  if (d.toDateString() === today.toDateString()) return clock;
  return d.toLocaleDateString('en-GB', {day: 'numeric', month: 'short', ...(d.getFullYear() === today.getFullYear() ? {} : {year: 'numeric'})}) + ', ' + clock;
}

// local writes the times in a text as those of this place.
export const local = (text: string) => text.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, t => when(t));

// due is a time from now: in 3 h, or 2 h over.
export function due(t: string, now = Date.now()): string {
  const s = (+new Date(t) - now) / 1000;
  return s >= 0 ? 'in ' + span(s) : span(s) + ' over';
}

export const entry = (names: Names | undefined, i: number) => names?.decision?.[i]?.name || `${names?.symbol || 'u'}[${i}]`;
// titled is the name of an entry as a title; a symbol stays as it is.
export const titled = (names: Names | undefined, i: number) => names?.decision?.[i]?.name ? upper(entry(names, i)) : entry(names, i);
export const state = (names: Names | undefined, i: number) => names?.state?.[i]?.name || `p[${i}]`;
export const trait = (names: Names | undefined, i: number) => names?.trait?.[i]?.name || `d[${i}]`;
export const unit = (list: Called[] | undefined, i: number) => list?.[i]?.unit || '';
export const withUnit = (text: string, u?: string) => u ? text + '\u202f' + u : text;
export const valueName = (names: Names | undefined) => names?.value?.name || 'value';
export const upper = (s: string) => s.charAt(0).toUpperCase() + s.slice(1);
export const plural = (n: number, one: string, many = one + 's') => `${count(n)} ${n === 1 ? one : many}`;

// save hands a file to whoever looks at the page.
export function save(name: string, kind: string, text: string) {
  const url = URL.createObjectURL(new Blob([text], {type: kind}));
  const a = document.createElement('a');
  a.href = url;
  a.download = name;
  a.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// csv is a table as other programs read it; what a spreadsheet would take for a formula is quoted as text.
export const csv = (rows: (string | number | null | undefined)[][]) => rows.map(r => r.map(v => {
  if (typeof v === 'number') return String(v);
  const s = v == null ? '' : /^[=+\-@\t]/.test(v) && isNaN(+v) ? "'" + v : v;
  return /[",\n]/.test(s) ? '"' + s.replace(/"/g, '""') + '"' : s;
}).join(',')).join('\n') + '\n';
