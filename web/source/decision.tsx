// One decision, from its opening to what was learned from it.
import {Fragment, h} from 'preact';
import {Decision, Explanation, loopPath, Trouble} from './api';
import {useReply} from './live';
import {Entries, LoopProps} from './now';
import {count, entry, number, plural, span, upper, valueName, vector, when, withUnit} from './words';

const bases: Record<string, string> = {step: 'a step of the rule', again: 'offered again', hold: 'what is live stays', baseline: 'what is live, in the shadow', pinned: 'pinned', rollback: 'a rollback', safe: 'the safe decision'};
const fates: Record<string, string> = {proposed: 'waits for approval', open: 'is not deployed yet', deployed: 'is deployed', closed: 'is closed', rejected: 'was rejected', lapsed: 'lapsed', abandoned: 'was abandoned', superseded: 'was superseded'};

export function DecisionPage({status: s, terms: t, seq, k}: LoopProps & {k: number}) {
  const path = `${loopPath(s.loop)}/decisions/${k}`;
  const {data: d, error} = useReply<Decision>(path, k >= s.k ? seq : 0);
  const why = useReply<Explanation>(path + '/explain', 0).data;
  if (error) return <p class="error">{error instanceof Trouble ? error.title + ': ' + error.detail : 'The service does not answer.'}</p>;
  if (!d) return <p class="quiet">Looking …</p>;
  const o = d.outcome, p = d.deployment, people = (d.batches || []).reduce((n, b) => n + b.rows, 0);
  return <>
    <p class="sentence">Decision {k}, {bases[d.basis] || d.basis}, {fates[d.state] || d.state}{d.why ? `: ${d.why}` : ''}. {o && (o.outcome === 'step' ? 'The rule took a step on it.' : `No step was taken: ${(o.reasons || []).join('; ')}.`)}</p>
    <nav class="acts" aria-label="Other decisions">{k > 1 && <a class="button" href={`#/loops/${s.loop}/decisions/${k - 1}`}>← {k - 1}</a>}{k < s.k && <a class="button" href={`#/loops/${s.loop}/decisions/${k + 1}`}>{k + 1} →</a>}</nav>
    <section aria-labelledby="d-u"><h2 id="d-u">What was decided</h2><Entries d={d} s={s.live && s.live.k < k ? s : {...s, live: undefined}} t={t} />{why && <p class="why">{why.words}</p>}</section>
    <section aria-labelledby="d-when"><h2 id="d-when">When</h2><dl class="facts">
      <dt>Opened</dt><dd>{when(d.opened_at)}</dd>
      {d.approve_by && <><dt>Approve by</dt><dd>{when(d.approve_by)}</dd></>}
      {d.deploy_by && !p && <><dt>Deploy by</dt><dd>{when(d.deploy_by)}</dd></>}
      {p && <><dt>Deployed</dt><dd>{when(p.deployed_at)}, {span((+new Date(p.deployed_at) - +new Date(d.opened_at)) / 1000)} later{p.off > 0 && <>, as {vector(p.u)}, {number(p.off, 3)} from what was decided</>}{!p.feasible && <strong class="error"> and not feasible</strong>}</dd></>}
      {p && <><dt>Answers count from</dt><dd>{when(p.measure_after)}</dd></>}
      {p?.data_by && !o && <><dt>Close by</dt><dd>{when(p.data_by)}{p.overdue && <strong class="error"> (overdue)</strong>}</dd></>}
    </dl></section>
    {o && <section aria-labelledby="d-learned"><h2 id="d-learned">What was learned</h2><dl class="facts">
      {o.value && <><dt>{upper(valueName(t?.names))}</dt><dd><b>{withUnit(number(o.value.mean), t?.names.value?.unit)}</b> <span class="quiet">({number(o.value.low)} … {number(o.value.high)})</span></dd></>}
      <dt>People</dt><dd>{count(o.sample.rows)} counted, worth {number(o.sample.effective, 4)}{o.sample.early > 0 && `; ${o.sample.early} too early`}{o.sample.without_trait > 0 && `; ${o.sample.without_trait} without a trait`}{!!o.sample.quarantined && `; ${o.sample.quarantined} quarantined`}</dd>
      {o.terms && <><dt>By the decision itself</dt><dd>{number(o.terms.direct)}</dd><dt>By how people answer</dt><dd>{number(o.terms.answer)}, cosine {number(o.terms.cosine, 3)}</dd><dt>Step</dt><dd>{number(o.terms.step)}</dd></>}
      {o.trust?.verdict && <><dt>Model</dt><dd>{o.trust.verdict}{o.trust.ratio != null && `, ${number(o.trust.ratio, 3)} (${number(o.trust.low, 3)} … ${number(o.trust.high, 3)}) of the answer it expects`}</dd></>}
      {o.guardrails?.map(g => <><dt>{g.name}</dt><dd>{g.verdict}{g.value != null && `, ${number(g.value)}`}</dd></>)}
      {o.iterate && <><dt>The rule is at</dt><dd>{vector(o.iterate)}</dd></>}
      <dt>Its memory</dt><dd><code class="hash">{o.state.slice(0, 16)}…</code></dd>
    </dl></section>}
    {why?.from && <section aria-labelledby="d-how"><h2 id="d-how">How it came about</h2>
      <div class="scroll" tabIndex={0} role="region" aria-label="How it came about, entry by entry"><table>
        <thead><tr><th scope="col">Entry</th><th scope="col" class="number">From</th><th scope="col" class="number">People met</th>{why.direct && <th scope="col" class="number">By itself</th>}{why.answer && <th scope="col" class="number">By the answer</th>}{why.stepped && <th scope="col" class="number">Stepped</th>}<th scope="col" class="number">In the set</th>{why.capped && <th scope="col" class="number">Capped</th>}</tr></thead>
        <tbody>{why.from.slice(0, 40).map((v, i) => <tr><th scope="row">{entry(t?.names, i)}</th><td class="number">{number(v)}</td><td class="number">{number(why.at?.[i])}</td>{why.direct && <td class="number">{number(-why.direct[i], 3)}</td>}{why.answer && <td class="number">{number(-why.answer[i], 3)}</td>}{why.stepped && <td class="number">{number(why.stepped[i])}</td>}<td class="number">{number(why.projected?.[i])}</td>{why.capped && <td class="number">{number(why.capped[i])}</td>}</tr>)}</tbody>
      </table></div></section>}
    <section aria-labelledby="d-batches"><h2 id="d-batches">{people ? plural(people, 'person has', 'people have') + ' answered' : 'Nobody has answered'}</h2>
      {!!d.batches?.length && <div class="scroll" tabIndex={0} role="region" aria-label="Receipts"><table>
        <thead><tr><th scope="col">Batch</th><th scope="col" class="number">People</th><th scope="col" class="number">Without trait</th><th scope="col">Seen</th><th scope="col">Content</th></tr></thead>
        <tbody>{d.batches.map(b => <tr><th scope="row">{b.batch}{b.late && ' (late, not used)'}{b.erased && ' (erased)'}</th><td class="number">{count(b.rows)}</td><td class="number">{count(b.without_trait)}</td><td>{when(b.observed_at)}</td><td><code class="hash">{b.content.slice(0, 12)}…</code></td></tr>)}</tbody>
      </table></div>}</section>
  </>;
}
