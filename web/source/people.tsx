// The people: how they answered over time, where the model says they settle, who they are, and who did not count.
import {Fragment, h} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {Decision, Distribution, loopPath} from './api';
import {line, LiveGraph, Plot} from './chart';
import {useDecisions, useLast, useReply} from './live';
import type {LoopProps} from './now';
import {Choice, Grid, Part} from './part';
import {count, number, plural, state, trait, unit, withUnit} from './words';

type Fan = {k: number[]; quantiles: (number[] | null)[]};

export function People({status: s, terms: t, seq}: LoopProps) {
  const [of, setOf] = useState(0), [who, setWho] = useState(0), version = s.state ? s.k : seq;
  const path = loopPath(s.loop), name = state(t?.names, of), u = unit(t?.names.state, of), inUnit = u ? ' in ' + u : '';
  const fan = useReply<Fan>(`${path}/quantiles?entry=${of}&last=60`, version).data, k = fan?.k[fan.k.length - 1];
  const now = useLast<Distribution>(k ? `${path}/distribution?k=${k}&entry=${of}&bins=32` : null, version);
  const traits = useLast<Distribution>(k && s.dims[2] ? `${path}/distribution?k=${k}&of=d&entry=${who}&bins=16` : null, version);
  const list = useDecisions(s, 20, version);
  const base = {rules: [], log: false, digits: 3, still: true, tall: true};
  const shares = (title: string, along: string, d: Distribution, second: string, other?: number[]) => ({
    ...base, title, label: 'share of people', along, percent: true,
    lines: [line('who answered', 0, {x: d.edges, mean: [...d.now, 0], steps: true}), ...(other ? [line(second, 1, {mean: [...other, 0], dash: [8, 4], steps: true})] : [])],
  } as unknown as LiveGraph);
  const histogram = useMemo(() => now && shares('Now and settled', name + inUnit, now, 'settled under what is live, by the model', now.settled), [now]);
  const mix = useMemo(() => traits && shares('Who they are', trait(t?.names, who), traits, 'who answered at first', traits.first), [traits]);
  const fanned = useMemo(() => fan && ({
    ...base, title: 'How people moved', label: name + inUnit, along: 'decision', digits: 4, still: false,
    lines: [line('half of all', 0, {x: fan.k, mean: fan.quantiles.map(q => q && q[2]), low: fan.quantiles.map(q => q && q[1]), high: fan.quantiles.map(q => q && q[3])}),
      line('the lowest 5 in 100', 5, {mean: fan.quantiles.map(q => q && q[0]), dash: [2, 3]}), line('the highest 5 in 100', 5, {mean: fan.quantiles.map(q => q && q[4]), dash: [8, 4]})],
  } as unknown as LiveGraph), [fan]);
  if (!fan) return <p class="quiet">Looking …</p>;
  if (!k) return <p class="sentence">Nobody has answered yet, or their answers are no longer kept.</p>;
  return <>
    <p class="sentence">{now && <>{plural(now.people, 'person has', 'people have')} answered decision {now.k}. {now.w1 == null ? 'The model does not say where they settle.' :
      <>They are <b class="num">{withUnit(number(now.w1, 3), u)}</b> from where the model says they settle <span class="quiet">(W₁, the mean distance that somebody still has to go)</span>.</>}</>}</p>
    <div class="filters"><Choice label="Of their states" names={Array.from({length: s.dims[1]}, (_, i) => state(t?.names, i))} value={of} onChange={setOf} /></div>
    <div class="grid one">
      {histogram && <Plot graph={histogram} />}
      {fanned && <Plot graph={fanned} about="The middle, half of all around it, and all but the outer 5 in 100 on either side." />}
    </div>
    {mix && <Part title="Who answers"><div class="filters"><Choice label="Of their traits" names={Array.from({length: s.dims[2]}, (_, i) => trait(t?.names, i))} value={who} onChange={setWho} /></div>
      <Plot graph={mix} about={traits?.chance != null ? `Two samples of one crowd differ so much ${traits.chance < 1e-6 ? 'less than once in a million' : 'once in ' + count(Math.round(1 / traits.chance))}.` : 'With live.mix.of in the spec it is compared with who answered at first.'} /></Part>}
    <Quarantine list={list} t={t} loop={s.loop} />
  </>;
}

// Quarantine are people who did not count, and why.
function Quarantine({list, t, loop}: {list?: Decision[]; t: LoopProps['terms']; loop: string}) {
  const out = [...(list || [])].reverse().flatMap(d => (d.outcome?.quarantine || []).map(q => ({...q, k: d.k}))).slice(0, 60);
  return <Part title="Who did not count">{!out.length ? <p class="quiet">Nobody lately.</p> :
    <Grid label="Who did not count" heads={['Decision', '#Person', 'What', '#Value', 'Why']}
      rows={out.map(q => [<a href={`#/loops/${loop}/decisions/${q.k}`}>{q.k}</a>, count(q.row + 1), q.what === 'd' ? trait(t?.names, q.entry) : state(t?.names, q.entry), number(q.value), q.off ? number(q.off, 3) + ' deviations from all seen before' : 'outside its range'])} />}</Part>;
}
