// Rounds in time: asked, deployed, first and last answer, closed.
import {h} from 'preact';
import {Event, loopPath} from './api';
import {useLast} from './live';
import {Grid, Part} from './part';
import {span} from './words';

type Round = {k: number; at: Record<string, number>; end?: string};
const marks: Record<string, string> = {opened: 'asked', proposed: 'asked', deployed: 'deployed', corrected: 'deployed', batch: 'last', closed: 'closed'};

// roundsOf puts events together that are of one decision, the newest first.
function roundsOf(events: Event[]): Round[] {
  const all = new Map<number, Round>();
  for (const e of events) {
    if (!e.k) continue;
    const r = all.get(e.k) || {k: e.k, at: {}}, name = marks[e.kind], t = +new Date(e.at);
    if (name) { r.at[name] = t; if (name === 'last') r.at.first ??= t; } else if (/rejected|lapsed|abandoned|superseded/.test(e.kind)) { r.end = e.kind; r.at.closed = t; }
    all.set(e.k, r);
  }
  return [...all.values()].filter(r => r.at.asked).reverse();
}

export function Rounds({loop, seq, most}: {loop: string; seq: number; most: number}) {
  const events = useLast<Event[]>(`${loopPath(loop)}/log?after=${Math.max(0, seq - 8 * most)}`);
  const list = events ? roundsOf(events).slice(0, most) : [];
  if (!list.length) return null;
  const now = Date.now(), end = (r: Round) => r.at.closed || now, wide = Math.max(...list.map(r => (r.at.closed || 0) - r.at.asked), 1);
  const x = (r: Round, t: number) => 4 + 192 * Math.min(1, (t - r.at.asked) / wide), since = (r: Round, name: string) => r.at[name] ? span((r.at[name] - r.at.asked) / 1000) : '–';
  return <Part title="Rounds"><Grid label="Rounds" heads={['Decision', '~Picture', '#Deployed', '#First answer', '#Last answer', '#Closed']}
    rows={list.map(r => [<a href={`#/loops/${loop}/decisions/${r.k}`}>{r.k}</a>, <svg class="round" viewBox="0 0 200 18" aria-hidden="true">
      <line class="waits" x1={x(r, r.at.asked)} x2={x(r, r.at.deployed || end(r))} y1="9" y2="9" />
      {r.at.deployed && <line x1={x(r, r.at.deployed)} x2={x(r, end(r))} y1="9" y2="9" />}
      {['first', 'last'].map(n => r.at[n] && <path d={`M${x(r, r.at[n])} 2V16`} />)}
      {r.at.closed && <circle cx={x(r, r.at.closed)} cy="9" r="4" />}</svg>,
    since(r, 'deployed'), since(r, 'first'), since(r, 'last'), r.end || since(r, 'closed')])} />
    <p class="quiet">Since it was asked for. Dashed: not deployed; strokes: answers; dot: closed.</p></Part>;
}
