// A loop now: the answer first, then what it rests on.
import {Fragment, h} from 'preact';
import {Card, call, Decision, Explanation, loopPath, Status, Terms} from './api';
import {Act, Acting, acts} from './dialog';
import {Guessed, useGuess} from './guess';
import {useLast, useReply} from './live';
import {Grid, Part} from './part';
import {Rounds} from './rounds';
import {ago, count, due, entry, local, number, unit, upper, valueName, vector, when, withUnit} from './words';

export type LoopProps = {status: Status; terms?: Terms; seq: number; may: (right: string) => boolean};

// sentence is how the loop stands, for somebody who has ten seconds.
function sentence(s: Status, t: Terms | undefined, d: Decision | undefined): string {
  const list: string[] = [];
  if (s.mode === 'killed') list.push('The loop was killed: every ask answers the safe decision.');
  if (s.mode === 'paused') list.push('The loop is paused and learns nothing.');
  if (s.mode === 'shadow') list.push('The loop is in the shadow: it decides nothing, and shows what it would have done.');
  list.push(s.live ? `Decision ${s.live.k} is live since ${when(s.live.since)}.` : 'Nobody has said yet what is live.');
  if (s.state && d && d.k === s.k) {
    const have = (d.batches || []).reduce((n, b) => n + b.rows, 0);
    if (s.state === 'proposed') list.push(`Decision ${d.k} waits for approval` + (d.approve_by ? `, until ${when(d.approve_by)}.` : '.'));
    if (s.state === 'open') list.push(`Decision ${d.k} is decided and not deployed yet` + (d.deploy_by ? `; it lapses ${due(d.deploy_by)}.` : '.'));
    if (s.state === 'deployed') {
      list.push(`${count(have)} people have answered` + (t ? `, ${count(t.least)} are wanted.` : '.'));
      if (d.deployment?.data_by) list.push(`Its close is due ${due(d.deployment.data_by)}.`);
    }
  } else if (s.mode !== 'archived') list.push(`The next ask opens decision ${s.k + 1}.`);
  return list.join(' ');
}

export function Now({status: s, terms: t, seq, may}: LoopProps) {
  const path = loopPath(s.loop), k = s.k || null;
  const d = useLast<Decision>(k ? `${path}/decisions/${k}` : null, seq);
  const why = useLast<Explanation>(k ? `${path}/decisions/${k}/explain` : null, s.state ? k : seq);
  const f = useGuess(s, s.state ? k : null, k);
  const cards = useReply<{cards: Card[]}>(`${path}/health`, seq).data?.cards;
  const list = acts(s, t);
  if (s.state === 'proposed' && d) Object.assign(list, approval(s, t, d));
  return <>
    {s.mode === 'killed' && <p class="banner" role="alert">Killed. Every ask answers the safe decision, {vector(t?.safe)}, until somebody resumes the loop.</p>}
    <p class="sentence" role="status">{sentence(s, t, d)}</p>
    <Acting list={list} allowed={may('operate')} order={['approve', 'reject', 'pause', 'resume', 'promote', 'unpin', 'shadow', 'kill']} />
    {d && <section aria-labelledby="u-title">
      <h2 id="u-title">{s.state ? `Decision ${d.k}` : `Decision ${d.k}, the newest`} <a class="more" href={`#/loops/${s.loop}/decisions/${d.k}`}>all about it</a></h2>
      <Entries d={d} s={s} t={t} />
      {why && <p class={why.k !== d.k ? 'gone' : 'why'}>{why.words}</p>}
      {s.state && <Guessed f={f} t={t} />}
      {d.outcome?.value && <p><span class="key">{upper(valueName(t?.names))}</span> <b class="num">{withUnit(number(d.outcome.value.mean), t?.names.value?.unit)}</b> <span class="quiet num">({number(d.outcome.value.low)} … {number(d.outcome.value.high)}, 95 of 100)</span></p>}
    </section>}
    {cards && <Part title="How it is">
      <ul class="cards">{cards.map(c => <li class={'card ' + c.state}>
        <h3><span class={'level ' + c.state} />{upper(c.name.replace(/-/g, ' '))}<span class="unseen">: {c.state}</span></h3>
        <p>{local(c.words)}</p>{c.do && <p class="do">{c.do}</p>}
      </li>)}</ul></Part>}
    <Rounds loop={s.loop} seq={seq} most={5} />
  </>;
}

// approval is what can be done with a proposal.
export function approval(s: Status, t: Terms | undefined, d: Decision): Record<string, Act> {
  const path = `${loopPath(s.loop)}/decisions/${d.k}`;
  const shown = <Entries d={d} s={s} t={t} />;
  return {
    approve: {title: `Approve decision ${d.k}`, button: 'Approve', reason: 'wanted', afterwards: <><p>The next ask answers it, and it goes live when it is deployed:</p>{shown}</>, run: (reason, once) => call('POST', path + '/approve', {reason}, undefined, once)},
    reject: {title: `Reject decision ${d.k}`, button: 'Reject', reason: 'wanted', afterwards: <p>{s.live ? <>What is live, <b class="num">{vector(s.live.u)}</b>, stays live.</> : 'Nothing changes.'} The next proposal begins there.</p>, run: (reason, once) => call('POST', path + '/reject', {reason}, undefined, once)},
  };
}

const most = 40;

// Entries is a decision number by number: what is live, what is decided, how far that is, and where it lies between its bounds.
export function Entries({d, s, t}: {d: Decision; s: Status; t?: Terms}) {
  const deployed = d.deployment?.u, before = s.live && s.live.k !== d.k ? s.live : undefined, off = (d.deployment?.off || 0) > 0;
  return <>
    <Grid look="entries" label={`Decision ${d.k}, entry by entry`} heads={['Entry', '#Decided', off && '#Deployed', before && '#Live, ' + before.k, before && '#Change', 'Within']} rows={d.u.slice(0, most).map((v, i) => {
      const change = before ? v - before.u[i] : 0;
      return [entry(t?.names, i), <span class="strong">{withUnit(number(v), unit(t?.names.decision, i))}</span>, number(deployed?.[i]), number(before?.u[i]),
        <span class={change > 0 ? 'up' : change < 0 ? 'down' : ''}>{(change > 0 ? '+' : '') + number(change, 3)}</span>, <Bounds v={v} was={before?.u[i]} lo={t?.lower?.[i]} hi={t?.upper?.[i]} />];
    })} />
    {d.u.length > most && <p class="quiet">The first {most} of {count(d.u.length)}.</p>}
  </>;
}

function Bounds({v, was, lo, hi}: {v: number; was?: number; lo?: number | null; hi?: number | null}) {
  if (lo == null && hi == null) return <span class="quiet">no bounds</span>;
  if (lo == null || hi == null) return <span class="num quiet">{lo == null ? '≤ ' + number(hi) : '≥ ' + number(lo)}</span>;
  const at = (x: number) => 4 + 92 * Math.min(1, Math.max(0, hi > lo ? (x - lo) / (hi - lo) : .5));
  return <span class="bounds"><span class="num">{number(lo)}</span>
    <svg viewBox="0 0 100 16" role="img" aria-label={`${number(v)} between ${number(lo)} and ${number(hi)}`}><line x1="4" x2="96" y1="8" y2="8" />{was != null && <line class="moved" x1={at(was)} x2={at(v)} y1="8" y2="8" />}<circle cx={at(v)} cy="8" r="4" /></svg>
    <span class="num">{number(hi)}</span></span>;
}
