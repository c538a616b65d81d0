// The model at work: what the two rules would do from here, and what each part of the gradient says.
import {Fragment, h} from 'preact';
import {Explanation, loopPath} from './api';
import {useReply} from './live';
import type {LoopProps} from './now';
import {entry, number, unit, withUnit} from './words';

const most = 40;
const close = (a: number[], b: number[]) => a.every((v, i) => Math.abs(v - b[i]) <= 1e-9 * (1 + Math.abs(v)));

export function Model({status: s, terms: t, seq}: LoopProps) {
  const path = loopPath(s.loop);
  const {data: e, error} = useReply<Explanation>(s.k ? `${path}/decisions/${s.k}/explain` : null, s.state ? s.k : seq);
  if (!s.k) return <p class="sentence">Nothing was decided yet.</p>;
  if (error) return <p class="error">{error.message}</p>;
  if (!e) return <p class="quiet">Looking …</p>;
  if (!e.from || !e.direct?.length) return <p class="sentence">Decision {e.k} is no step of a rule that knows its gradient. <span class="quiet">{e.words}</span></p>;
  const {from, direct, answer = direct.map(() => 0), eta = 0} = e;
  const moved = (g: number[]) => from.map((v, i) => v - eta * g[i]);
  const vanilla = moved(direct), composite = moved(direct.map((g, i) => g + answer[i]));
  const known = eta > 0 && !!e.stepped && (close(e.stepped, vanilla) || close(e.stepped, composite));
  const ratio = (v: number) => Math.abs(v - 1) < .01 ? 'as much as' : <><b class="num">{number(v, 3)}</b> times</>;
  const length = (v: number[]) => Math.hypot(...v), dot = direct.reduce((n, g, i) => n + g * answer[i], 0), cosine = dot / (length(direct) * length(answer) || 1);
  return <>
    <p class="sentence">{length(answer) === 0 ? 'This rule does not look at how people answer.' : <>How people answer weighs {ratio(length(answer) / (length(direct) || 1))} what the decision does by itself{cosine < -.9 ? ', and pulls the other way' : cosine > .9 ? ', and pulls the same way' : ''}.</>}
      {' '}<span class="quiet">Of the step to decision {e.k}.</span></p>
    <section aria-labelledby="rules-title"><h2 id="rules-title">What two rules would do from there</h2>
      {!known && <p class="quiet">The rule shapes its step (by momentum, an average or a schedule of its own), so that only the two terms are shown.</p>}
      <div class="scroll" tabIndex={0} role="region" aria-label="Two rules, entry by entry"><table>
        <thead><tr><th scope="col">Entry</th><th scope="col" class="number">From</th>{known && <th scope="col" class="number">Vanilla, before the set</th>}{known && <th scope="col" class="number">Composite, before the set</th>}
          <th scope="col" class="number">By itself</th><th scope="col" class="number">By the answer</th></tr></thead>
        <tbody>{from.slice(0, most).map((v, i) => <tr><th scope="row">{entry(t?.names, i)}</th><td class="number">{withUnit(number(v), unit(t?.names.decision, i))}</td>
          {known && <td class="number">{number(vanilla[i])}</td>}{known && <td class="number strong">{number(composite[i])}</td>}
          <td class="number">{number(-direct[i], 3)}</td><td class="number">{number(-answer[i], 3)}</td></tr>)}</tbody>
      </table></div>
      <p class="quiet">The last two columns are gains of the value for a small rise of the entry. Vanilla follows the first alone, as retraining does; composite both. {eta > 0 && <>The step size is {number(eta)}.</>}</p>
    </section>
  </>;
}
