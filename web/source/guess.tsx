// What the model says of people who are asked something else: a guess, and marked as one.
import {Fragment, h} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {Decision, Distribution, Forecast, loopPath, Prospect, Status, Terms, Worth} from './api';
import {line, LiveGraph, Plot} from './chart';
import {useLast} from './live';
import {Choice, Grid, Part} from './part';
import {count, entry, number, state, unit, upper, valueName, vector, withUnit} from './words';

export const Marked = () => <span class="badge guess">the model’s guess</span>;

const range = (w: Worth) => <span class="quiet num">({number(w.low, 4)} … {number(w.high, 4)})</span>;
const signed = (v: number) => (v > 0 ? '+' : '') + number(v, 3);

// useGuess is what the model guesses of a decision, or of another in its place.
export const useGuess = (s: Status, k: number | null, version: unknown = 0, u?: number[]) =>
  useLast<Forecast>(k ? `${loopPath(s.loop)}/decisions/${k}/guess${u ? '?u=' + u.join() : ''}` : null, version);

// Guessed is the guess in a sentence.
export function Guessed({f, t}: {f?: Forecast; t?: Terms}) {
  const d = f?.decided;
  if (!d?.value || !d.gain?.mean) return null;
  const up = d.gain.mean >= 0;
  return <p><Marked /> Once people have settled, {valueName(t?.names)} {up ? 'rises' : 'falls'} by <b class="num">{withUnit(number(Math.abs(d.gain.mean), 3), t?.names.value?.unit)}</b> {range(up ? d.gain : {mean: 0, low: -d.gain.high, high: -d.gain.low})}, to <b class="num">{number(d.value.mean, 4)}</b>, beside leaving it as it was.</p>;
}

// Whiskers draws a value with its interval between the ends of all.
function Whiskers({w, lo, hi}: {w: Worth; lo: number; hi: number}) {
  const x = (v: number) => 6 + 188 * (hi > lo ? (v - lo) / (hi - lo) : .5);
  return <svg class="whisker" viewBox="0 0 200 16" aria-hidden="true"><line x1={x(w.low)} x2={x(w.high)} y1="8" y2="8" /><circle cx={x(w.mean)} cy="8" r="4.5" /></svg>;
}

// Prospects are values side by side: as people answered, and as they settle.
export function Prospects({f, t, k, mine}: {f: Forecast; t?: Terms; k: number; mine?: Prospect}) {
  const list = ([['As they answered', undefined, f.value], ['Settled, as it was before', f.stays], [`Settled under decision ${k}`, f.decided], ['Settled under vanilla’s', f.vanilla], ['Settled under yours', mine]] as [string, Prospect | undefined, Worth | undefined][])
    .map(([name, p, w]) => ({name, p, w: w || p?.value})).filter(r => r.w);
  const lo = Math.min(...list.map(r => r.w!.low)), hi = Math.max(...list.map(r => r.w!.high));
  return <Grid label="Values, by the model" heads={['People', 'Decision', '#' + upper(valueName(t?.names)), '#95 of 100', '~Picture', '#Gain']}
    rows={list.map(({name, p, w}) => [name, <span class="num">{p ? vector(p.u, 4) : ''}</span>, <b>{withUnit(number(w!.mean, 4), t?.names.value?.unit)}</b>, `${number(w!.low, 4)} … ${number(w!.high, 4)}`, <Whiskers w={w!} lo={lo} hi={hi} />,
      p?.gain ? <>{signed(p.gain.mean)} {range(p.gain)}</> : ''])} />;
}

const sliders = 8;

// Expected is what the model expects of a decision, and lets somebody try another.
export function Expected({d, s, t, f}: {d: Decision; s: Status; t?: Terms; f: Forecast}) {
  const [mine, setMine] = useState<number[]>(), [of, setOf] = useState(0);
  const u = mine || d.u, tried = useGuess(s, mine ? d.k : null, 0, mine);
  const people = useLast<Distribution>(f.k ? `${loopPath(s.loop)}/distribution?k=${f.k}&entry=${of}&bins=24&u=${u.join()}` : null);
  const names = Array.from({length: s.dims[1]}, (_, i) => state(t?.names, i)), settled = mine ? 'settled under yours, by the model' : 'settled under it, by the model';
  const graph = useMemo(() => people && ({
    title: 'People now and settled', label: 'share of people', along: names[of], rules: [], log: false, digits: 3, percent: true, still: true,
    lines: [line('as they answered', 0, {x: people.edges, mean: [...people.now, 0], steps: true}), ...(people.settled ? [line(settled, 1, {mean: [...people.settled, 0], dash: [8, 4], steps: true})] : [])],
  } as LiveGraph), [people, settled]);
  if (!f.stays) return <Part title="What the model expects"><p class="quiet">{upper(f.words || '')}.</p></Part>;
  const far = s.live ? Math.hypot(...u.map((v, i) => v - s.live!.u[i])) : 0, cap = t?.cap.norm;
  return <Part title="What the model expects">
    <Guessed f={f} t={t} />
    <Prospects f={f} t={t} k={d.k} mine={mine && tried?.decided} />
    <p class="quiet">Of {count(f.people)} people who answered decision {f.k}. Intervals are about who was asked, not about whether the model is right.</p>
    {s.dims[1] > 1 && <div class="filters"><Choice label="Of their states" names={names} value={of} onChange={setOf} /></div>}
    {graph && <Plot graph={graph} about={people?.w1 != null ? `Apart by ${number(people.w1, 3)} (W₁).` : undefined} />}
    {d.u.length <= sliders && <div class="what-if" role="group" aria-label="What if">
      <h3>What if something else were decided? <Marked /></h3>
      {d.u.map((v, i) => {
        const wide = Math.max(3 * (cap ?? 0), .5 * Math.abs(v), 1e-3), lo = t?.lower?.[i] ?? v - wide, hi = t?.upper?.[i] ?? v + wide;
        return <label class="field">{entry(t?.names, i)} <output class="num">{withUnit(number(u[i], 4), unit(t?.names.decision, i))}</output>
          <input type="range" min={lo} max={hi} step="any" value={u[i]} onInput={e => { const to = +(+e.currentTarget.value).toPrecision(5); setMine(u.map((w, j) => j === i ? to : w)); }} /></label>;
      })}
      {mine && <p role="status">{tried?.decided && !tried.decided.feasible && <strong class="error">The set does not allow it. </strong>}{cap != null && far > cap && <>It is {number(far / cap, 3)} times as far from what is live as the cap allows. </>}<button type="button" onClick={() => setMine(undefined)}>Back to decision {d.k}</button></p>}
    </div>}
  </Part>;
}
