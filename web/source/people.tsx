// The people: how they answered over time, and where the model says they settle.
import {Fragment, h} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {Distribution, loopPath, Trouble} from './api';
import {line, LiveGraph, Plot} from './chart';
import {useReply} from './live';
import type {LoopProps} from './now';
import {count, number, upper, withUnit} from './words';

type Fan = {k: number[]; quantiles: (number[] | null)[]; shares: number[]};

export function People({status: s, terms: t, seq}: LoopProps) {
  const [entry, setEntry] = useState(0);
  const path = loopPath(s.loop), called = t?.names.state?.[entry], name = called?.name || `p[${entry}]`, unit = called?.unit;
  const now = useReply<Distribution>(`${path}/distribution?entry=${entry}&bins=32`, s.live?.k);
  const fan = useReply<Fan>(`${path}/quantiles?entry=${entry}&last=60`, s.state ? s.k : seq).data;
  const inUnit = unit ? ' in ' + unit : '';
  const histogram = useMemo(() => now.data && ({
    title: 'Now and settled', label: 'share of people', along: name + inUnit, rules: [], log: false, digits: 3, percent: true, tall: true, still: true,
    lines: [line('as they answered', 0, {x: now.data.edges, mean: [...now.data.now, 0], steps: true}), ...(now.data.settled ? [line('settled under what is live, by the model', 1, {mean: [...now.data.settled, 0], dash: [8, 4], steps: true})] : [])],
  } as LiveGraph), [now.data]);
  const fanned = useMemo(() => fan && ({
    title: 'How people moved', label: (called?.name ? upper(name) : name) + inUnit, along: 'decision', rules: [], log: false, digits: 4, tall: true,
    lines: [line('half of all', 0, {x: fan.k, mean: fan.quantiles.map(q => q && q[2]), low: fan.quantiles.map(q => q && q[1]), high: fan.quantiles.map(q => q && q[3])}),
      line('the lowest 5 in 100', 5, {mean: fan.quantiles.map(q => q && q[0]), dash: [2, 3]}), line('the highest 5 in 100', 5, {mean: fan.quantiles.map(q => q && q[4]), dash: [8, 4]})],
  } as LiveGraph), [fan]);
  const why = now.error instanceof Trouble ? now.error.detail || now.error.title : now.error && 'The service does not answer.';
  return <>
    <p class="sentence">{now.data ? <>{count(now.data.people)} people have answered decision {now.data.k}. {now.data.w1 == null ? 'The model does not say where they settle.' :
      <>They are <b class="num">{withUnit(number(now.data.w1, 3), unit)}</b> from where the model says they settle <span class="quiet">(W₁, the mean distance that somebody still has to go)</span>.</>}</> : why ? upper(why) + '.' : 'Looking …'}</p>
    {s.dims[1] > 1 && <div class="filters"><label class="field">Of their states <select value={entry} onChange={e => setEntry(+e.currentTarget.value)}>
      {Array.from({length: Math.min(s.dims[1], 200)}, (_, i) => <option value={i}>{t?.names.state?.[i]?.name || `p[${i}]`}</option>)}</select></label></div>}
    <div class="grid one">
      {histogram && <Plot graph={histogram} />}
      {fanned && fanned.lines[0].x!.length > 0 && <Plot graph={fanned} about="The middle, half of all people around it, and all but the outer 5 in 100 on either side, of those who answered each decision." />}
    </div>
  </>;
}
