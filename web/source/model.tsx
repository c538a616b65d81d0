// The model at work: what the two rules would do, how people answer by it, and whether they do.
import {Fragment, h} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {Answering, Decision, Explanation, loopPath, said} from './api';
import {line, LiveGraph, Plot} from './chart';
import {Marked, Prospects, useGuess} from './guess';
import {useDecisions, useReply} from './live';
import type {LoopProps} from './now';
import {Choice, Grid, Part} from './part';
import {count, entry, number, state, unit, upper, withUnit} from './words';

const most = 40, last = 60;

export function Model({status: s, terms: t, seq}: LoopProps) {
  const path = loopPath(s.loop), version = s.state ? s.k : seq;
  const {data: e, error} = useReply<Explanation>(s.k ? `${path}/decisions/${s.k}/explain` : null, version, true);
  const f = useGuess(s, s.k, version), a = useReply<Answering>(`${path}/sensitivity`, version).data;
  const list = useDecisions(s, last, version);
  if (!s.k) return <p class="sentence">Nothing was decided yet.</p>;
  if (error) return <p class="error">{said(error)}</p>;
  if (!e) return <p class="quiet">Looking …</p>;
  return <>
    <p class="sentence">{weighs(e)} <span class="quiet">Of the step to decision {e.k}.</span></p>
    {e.from && !!e.direct?.length && <Part title="What two rules would do next">
      <Grid label="Two rules, entry by entry" heads={['Entry', '#From', '#Decided', f?.vanilla && '#Vanilla', '#By itself', '#By the answer']}
        rows={e.from.slice(0, most).map((v, i) => [entry(t?.names, i), withUnit(number(v), unit(t?.names.decision, i)), <b>{number(e.u[i])}</b>, number(f?.vanilla?.u[i]), number(-e.direct![i], 3), number(-(e.answer?.[i] || 0), 3)])} />
      <p class="quiet">The last two columns are gains of the value for a small rise of the entry. Vanilla follows the first alone, as retraining does. {f?.vanilla ? 'Both keep to the set and the caps.' : 'The rule shapes its steps: nobody knows what vanilla would decide.'}</p>
      {f?.stays && <><p><Marked /> What people are worth under each, once they have settled.</p><Prospects f={f} t={t} k={s.k} /></>}
    </Part>}
    <Part title="How people answer"><Trusted list={list} />{a && (a.answers.length ? <Heat a={a} t={t} /> : <p class="quiet">{upper(a.words || '')}.</p>)}</Part>
    {list && <Observed list={list} dims={s.dims[1]} t={t} />}
  </>;
}

function weighs(e: Explanation) {
  if (!e.direct?.length) return `Decision ${e.k} is no step of a rule that knows its gradient.`;
  const answer = e.answer || [], length = (v: number[]) => Math.hypot(...v), ratio = length(answer) / (length(e.direct) || 1);
  if (!ratio) return 'This rule does not look at how people answer.';
  const cosine = e.direct.reduce((n, g, i) => n + g * answer[i], 0) / (length(e.direct) * length(answer) || 1);
  return `How people answer weighs ${Math.abs(ratio - 1) < .01 ? 'as much as' : number(ratio, 3) + ' times'} what the decision does by itself${cosine < -.9 ? ', and pulls the other way' : cosine > .9 ? ', and pulls the same way' : ''}.`;
}

// Trusted says how far the model is believed.
export function Trusted({list}: {list?: Decision[]}) {
  const newest = [...(list || [])].reverse(), q = newest.find(d => d.outcome?.trust)?.outcome?.trust, learned = newest.find(d => d.trust != null)?.trust;
  return <>
    {q?.verdict && <p>The model is <b>{q.verdict === 'unsure' ? 'neither trusted nor distrusted yet' : q.verdict}</b>{q.ratio != null && <>: people answer <b class="num">{number(q.ratio, 3)}</b> <span class="quiet num">({number(q.low, 3)} … {number(q.high, 3)})</span> of what it says</>}.</p>}
    {learned != null && <p>The rule learns how people answer, and trusts that by <b class="num">{number(learned, 3)}</b> of 1.</p>}
  </>;
}

// Heat is a matrix, its numbers shaded by their size.
function Heat({a, t}: {a: Answering; t: LoopProps['terms']}) {
  const top = Math.max(...a.answers.flat().map(v => Math.abs(v || 0))) || 1;
  const shade = (v: number | null) => <span class={'heat ' + (v ? `${v > 0 ? 'rise' : 'fall'} heat${Math.ceil(4 * Math.abs(v) / top)}` : '')}>{v && v > 0 ? '+' : ''}{number(v, 2)}</span>;
  return <>
    <Grid label="How states answer decisions" look="heats" heads={['Settled', ...a.entries.map(i => '#' + entry(t?.names, i))]} rows={a.states.map((j, r) => [state(t?.names, j), ...a.answers[r].map(shade)])} />
    <p class="quiet">By the model: how far states of {count(a.people)} people who answered decision {a.k} move, in the mean and settled, when an entry rises by 1.</p>
  </>;
}

// Observed is what people did beside what the model said that they would.
function Observed({list, dims, t}: {list: Decision[]; dims: number; t: LoopProps['terms']}) {
  const [of, setOf] = useState(0), seen = list.filter(d => d.outcome?.seen?.answer);
  const width = Math.min(dims, 16), names = Array.from({length: width}, (_, i) => state(t?.names, Math.floor(i * dims / width)));
  const graph = useMemo(() => ({
    title: 'Predicted and observed', label: 'how far ' + names[of] + ' has moved', along: 'decision', rules: [], log: false, digits: 4, tall: true,
    lines: [line('as people answered', 0, {x: seen.map(d => d.k), mean: seen.map(d => d.outcome!.seen!.answer!.seen[of])}), line('as the model said', 1, {mean: seen.map(d => d.outcome!.seen!.answer!.said[of]), dash: [8, 4]})],
  } as unknown as LiveGraph), [list, of]);
  if (seen.length < 2) return null;
  return <>
    <div class="filters"><Choice label="Of their states" names={names} value={of} onChange={setOf} /></div>
    <Plot graph={graph} about="The mean of those who answered, from where they would have settled under the first decision of the window in which the model is judged." />
  </>;
}
