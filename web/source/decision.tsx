// One decision, from its opening to what was learned from it.
import {Fragment, h} from 'preact';
import {Decision, Explanation, Forecast, loopPath, said, Terms} from './api';
import {Expected, useGuess} from './guess';
import {useReply} from './live';
import {Entries, LoopProps} from './now';
import {Grid, Part} from './part';
import {count, entry, number, plural, span, upper, valueName, vector, when, withUnit} from './words';

const bases: Record<string, string> = {step: 'a step of the rule', again: 'offered again', hold: 'what is live', baseline: 'what is live, in the shadow', rollback: 'a rollback', safe: 'the safe decision'};
const fates: Record<string, string> = {proposed: 'waits for approval', open: 'not deployed yet'};

export function DecisionPage({status: s, terms: t, seq, k}: LoopProps & {k: number}) {
  const path = `${loopPath(s.loop)}/decisions/${k}`, version = k >= s.k ? seq : 0;
  const {data: d, error} = useReply<Decision>(path, version);
  const why = useReply<Explanation>(path + '/explain', 0).data, f = useGuess(s, k, version);
  if (error) return <p class="error">{said(error)}</p>;
  if (!d) return <p class="quiet">Looking …</p>;
  const o = d.outcome, p = d.deployment, people = (d.batches || []).reduce((n, b) => n + b.rows, 0);
  return <>
    <p class="sentence">Decision {k}, {bases[d.basis] || d.basis}, {fates[d.state] || d.state}{d.why ? `: ${d.why}` : ''}. {o && (o.outcome === 'step' ? 'The rule took a step on it.' : `No step was taken: ${(o.reasons || []).join('; ')}.`)}</p>
    <nav class="acts" aria-label="Other decisions">{k > 1 && <a class="button" href={`#/loops/${s.loop}/decisions/${k - 1}`}>← {k - 1}</a>}{k < s.k && <a class="button" href={`#/loops/${s.loop}/decisions/${k + 1}`}>{k + 1} →</a>}</nav>
    <Part title="What was decided"><Entries d={d} s={s.live && s.live.k < k ? s : {...s, live: undefined}} t={t} /></Part>
    {why && <Part title="Why"><p class="why">{why.words}</p>{why.from && <Ways why={why} t={t} f={f} />}</Part>}
    {f && <Expected key={k} d={d} s={s} t={t} f={f} />}
    <Part title="When"><dl class="facts">
      <dt>Opened</dt><dd>{when(d.opened_at)}</dd>
      {d.approve_by && <><dt>Approve by</dt><dd>{when(d.approve_by)}</dd></>}
      {d.deploy_by && !p && <><dt>Deploy by</dt><dd>{when(d.deploy_by)}</dd></>}
      {p && <><dt>Deployed</dt><dd>{when(p.deployed_at)}, {span((+new Date(p.deployed_at) - +new Date(d.opened_at)) / 1000)} later{p.off > 0 && <>, as {vector(p.u)}, {number(p.off, 3)} from what was decided</>}{!p.feasible && <strong class="error"> and not feasible</strong>}</dd>
        <dt>Answers count from</dt><dd>{when(p.measure_after)}</dd></>}
      {p?.data_by && !o && <><dt>Close by</dt><dd>{when(p.data_by)}{p.overdue && <strong class="error"> (overdue)</strong>}</dd></>}
    </dl></Part>
    {o && <Part title="What was learned"><dl class="facts">
      {o.value && <><dt>{upper(valueName(t?.names))}</dt><dd><b>{withUnit(number(o.value.mean), t?.names.value?.unit)}</b> <span class="quiet">({number(o.value.low)} … {number(o.value.high)})</span></dd></>}
      <dt>People</dt><dd>{count(o.sample.rows)} counted, worth {number(o.sample.effective, 4)}{o.sample.early > 0 && `; ${o.sample.early} too early`}{o.sample.without_trait > 0 && `; ${o.sample.without_trait} without a trait`}{!!o.sample.quarantined && `; ${o.sample.quarantined} quarantined`}</dd>
      {o.terms && <><dt>By the decision itself</dt><dd>{number(o.terms.direct)}</dd><dt>By how people answer</dt><dd>{number(o.terms.answer)}, cosine {number(o.terms.cosine, 3)}</dd><dt>Step</dt><dd>{number(o.terms.step)}</dd></>}
      {o.trust?.verdict && <><dt>Model</dt><dd>{o.trust.verdict}{o.trust.ratio != null && `, ${number(o.trust.ratio, 3)} (${number(o.trust.low, 3)} … ${number(o.trust.high, 3)}) of the answer it expects`}</dd></>}
      {o.guardrails?.map(g => <><dt>{g.name}</dt><dd>{g.verdict}{g.value != null && `, ${number(g.value)}`}</dd></>)}
      {o.iterate && <><dt>The rule is at</dt><dd>{vector(o.iterate)}</dd></>}
      <dt>Its memory</dt><dd><code class="hash">{o.state.slice(0, 16)}…</code></dd>
    </dl></Part>}
    <Part title={people ? plural(people, 'person has', 'people have') + ' answered' : 'Nobody has answered'}>
      {!!d.batches?.length && <Grid label="Receipts" heads={['Batch', '#People', '#Without trait', 'Seen', 'Content']}
        rows={d.batches.map(b => [b.batch + (b.late ? ' (late, not used)' : '') + (b.erased ? ' (erased)' : ''), count(b.rows), count(b.without_trait), when(b.observed_at), <code class="hash">{b.content.slice(0, 12)}…</code>])} />}
    </Part>
  </>;
}

const most = 6;

// Ways shows how an entry came from where the rule was to what was decided, part by part.
export function Ways({why, t, f}: {why: Explanation; t?: Terms; f?: Forecast}) {
  return <div class="ways">{why.from!.slice(0, most).map((_, i) => <figure><figcaption>{entry(t?.names, i)}</figcaption><Way why={why} i={i} vanilla={f?.vanilla?.u[i]} /></figure>)}
    {why.from!.length > most && <p class="quiet">The first {most} of {count(why.from!.length)} entries.</p>}</div>;
}

function Way({why, i, vanilla}: {why: Explanation; i: number; vanilla?: number}) {
  const {eta = 0, direct, answer, stepped, projected, capped, u} = why, start = why.from![i];
  let x = start;
  const list: {name: string; from: number; to: number; kind: string}[] = [{name: 'The rule was at', from: x, to: x, kind: 'dot'}];
  const go = (name: string, to: number | undefined, kind: string, always = false) => {
    if (to == null || !always && Math.abs(to - x) <= 1e-9 * (1 + Math.abs(x))) return;
    list.push({name, from: x, to, kind});
    x = to;
  };
  if (eta && direct?.length) {
    go('by the decision itself', x - eta * direct[i], 'itself', true);
    if (answer?.length) go('by how people answer', x - eta * answer[i], 'answer', true);
  }
  go('as the rule shapes its steps', stepped?.[i], 'other');
  go('brought into the set', projected?.[i], 'other');
  go(capped ? 'cut by the cap' : 'tried around it', u[i], 'cap');
  list.push({name: 'Decided', from: x, to: x, kind: 'dot'});
  if (vanilla != null) list.push({name: 'Vanilla would decide', from: vanilla, to: vanilla, kind: 'dot hollow'});
  const all = list.flatMap(l => [l.from, l.to]), lo = Math.min(...all), hi = Math.max(...all), at = (v: number) => 8 + 184 * (hi > lo ? (v - lo) / (hi - lo) : .5);
  return <table class="way"><tbody>{list.map(({name, from, to, kind}) => <tr class={kind}><th scope="row">{name}</th>
    <td class="picture"><svg viewBox="0 0 200 18" aria-hidden="true"><line x1={at(start)} x2={at(start)} y1="0" y2="18" />
      {/dot/.test(kind) ? <circle cx={at(to)} cy="9" r="5" /> : <path d={`M${at(from)} 4V14L${at(to)} 9Z`} />}</svg></td>
    <td class="number">{/dot/.test(kind) ? number(to) : (to > from ? '+' : '') + number(to - from, 3)}</td></tr>)}</tbody></table>;
}
