// What happened, who did it and why.
import {Fragment, h} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {Event, get, loopPath} from './api';
import {useMetric} from './live';
import type {LoopProps} from './now';
import {count, csv, number, save, vector, when} from './words';

const size = 200;

// says is an event in a line.
function says(e: Event): string {
  const b = e.body || {}, because = (b.reason ? ': ' + b.reason : '');
  switch (e.kind) {
    case 'created': return `made, ${b.mode || 'shadow'}`;
    case 'opened': case 'proposed': return `${b.basis}: ${vector(b.u, 4)}` + (b.reasons?.length ? '; ' + b.reasons.join('; ') : '');
    case 'deployed': case 'corrected': case 'deployed-late': return `${vector(b.u, 4)}` + (b.off > 0 ? `, ${number(b.off, 3)} from what was decided` : '') + (b.feasible === false ? ', which is not feasible' : '');
    case 'batch': case 'batch-late': return `${b.batch}: ${count(b.rows)} people`;
    case 'closed': return b.outcome + (b.value ? `, value ${number(b.value.mean, 4)}` : '') + (b.reasons?.length ? ': ' + b.reasons.join('; ') : '');
    case 'mode': return b.mode + because;
    case 'alarm': return `${b.name}: ${b.words}`;
    case 'cleared': return b.name;
    case 'pinned': return vector(b.u, 4) + because;
    case 'rolled-back': return 'to ' + vector(b.to, 4) + because;
    case 'revised': return `revision ${b.revision}` + because;
  }
  return b.reason || b.words || '';
}

// useLog keeps the newest events, and older ones as far back as somebody went. What is held gets no newer ones.
function useLog(loop: string, seq: number, held: boolean) {
  const [list, set] = useState<Event[]>([]), [error, setError] = useState<Error>(), busy = useRef(false);
  const path = (after: number) => `${loopPath(loop)}/log?after=${after}`;
  const newer = async () => {
    if (busy.current) return;
    busy.current = true;
    try {
      const after = list.length ? list[list.length - 1].seq : Math.max(0, seq - size);
      const more = await get<Event[]>(path(after));
      set(was => [...was, ...more.filter(e => !was.length || e.seq > was[was.length - 1].seq)]);
      setError(undefined);
    } catch (e) { setError(e as Error); }
    busy.current = false;
  };
  useEffect(() => { if (!held && seq && (!list.length || list[list.length - 1].seq < seq)) newer(); }, [seq, list, held]);
  const older = async () => {
    const first = list[0].seq, more = await get<Event[]>(path(Math.max(0, first - 1 - size)));
    set(was => [...more.filter(e => e.seq < was[0].seq), ...was]);
  };
  return {list, error, older};
}

export function Log({status: s, seq}: LoopProps) {
  const [held, hold] = useState(false), {list, error, older} = useLog(s.loop, seq, held);
  const checked = useMetric(`chain_checked_seq{loop="${s.loop}"}`);
  const [kind, setKind] = useState(''), [actor, setActor] = useState(''), [text, setText] = useState('');
  const kinds = [...new Set(list.map(e => e.kind))].sort(), actors = [...new Set(list.map(e => e.actor))].sort();
  const shown = [...list].reverse().filter(e => (!kind || e.kind === kind) && (!actor || e.actor === actor) && (!text || says(e).toLowerCase().includes(text.toLowerCase()) || String(e.k || '') === text));
  return <>
    <p class="sentence">{count(s.seq)} events, <span class="quiet">each with the hash of all before it{checked > 0 && `, verified to event ${count(checked)}`}: </span><code class="hash">{s.hash.slice(0, 12)}…</code>{held && ' Newer ones wait until you leave the list.'}</p>
    <div class="filters">
      <label class="field"><span class="unseen">Kind</span><select value={kind} onChange={e => setKind(e.currentTarget.value)}><option value="">all kinds</option>{kinds.map(k => <option>{k}</option>)}</select></label>
      <label class="field"><span class="unseen">Who</span><select value={actor} onChange={e => setActor(e.currentTarget.value)}><option value="">everybody</option>{actors.map(a => <option>{a}</option>)}</select></label>
      <label class="field grow"><span class="unseen">Words</span><input type="search" placeholder="Words, or the number of a decision" value={text} onInput={e => setText(e.currentTarget.value)} /></label>
      <button type="button" onClick={() => save(`${s.loop}-log.csv`, 'text/csv', csv([['seq', 'at', 'kind', 'actor', 'decision', 'says', 'hash'], ...[...shown].reverse().map(e => [e.seq, e.at, e.kind, e.actor, e.k || null, says(e), e.hash])]))}>CSV</button>
      <a class="button" href={`${loopPath(s.loop)}/export`} download={s.loop + '.tar'}>Export</a>
    </div>
    {error && <p class="error">{error.message}</p>}
    {/* A list that grows at its top would run away from who goes up in it by keys. */}
    <ol class="log" reversed onFocusIn={() => hold(true)} onFocusOut={e => hold(e.currentTarget.contains(e.relatedTarget as Node))}>{shown.map(e => <li key={e.seq}>
      <span class="num seq">{e.seq}</span><time dateTime={e.at} title={e.at}>{when(e.at)}</time>
      <span class="kind">{e.kind}{e.k ? <> <a href={`#/loops/${s.loop}/decisions/${e.k}`}>{e.k}</a></> : ''}</span><span class="said">{says(e)}</span><span class="quiet actor">{e.actor}</span>
    </li>)}</ol>
    {list.length > 0 && list[0].seq > 1 && <p><button type="button" onClick={older}>Older</button> <span class="quiet">{count(list[0].seq - 1)} more</span></p>}
  </>;
}
