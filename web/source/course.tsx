// A loop over time: what was decided and deployed, what it was worth, and why.
import {Fragment, h} from 'preact';
import {useMemo, useState} from 'preact/hooks';
import {Decision, Extremes, loopPath, Mark, Series, Verdict} from './api';
import {dashes, Flag, line, LiveGraph, Plot} from './chart';
import {useDecisions, useReply} from './live';
import type {LoopProps} from './now';
import {Rounds} from './rounds';
import {entry, titled, unit, upper, valueName} from './words';

const points = 600, most = 6, judges = 100;

// middle is a line through buckets of several decisions, with the least and the largest of each as its band.
export function middle(e: Extremes | undefined): {mean: (number | null)[]; low?: (number | null)[]; high?: (number | null)[]} {
  if (!e) return {mean: []};
  const mean = e.min.map((v, i) => v == null || e.max[i] == null ? null : (v + e.max[i]!) / 2);
  return e.min.some((v, i) => v !== e.max[i]) ? {mean, low: e.min, high: e.max} : {mean};
}

const inUnit = (u?: string) => u ? ' in ' + u : '';
const any = (e: Extremes | undefined) => !!e && e.max.some(v => v != null);
const kinds: Record<string, string> = {mode: '', pinned: 'pinned', unpinned: 'unpinned', 'rolled-back': 'rolled back', revised: 'revised', alarm: 'alarm', restored: 'restored', archived: 'archived'};

// flagged are the marks of operators at the places of an axis.
export function flagged(marks: Mark[], k: number[], x: number[]): Flag[] {
  return marks.filter(m => m.k > 0 && k.length).map(m => {
    let i = k.findIndex(v => v > m.k);
    i = i < 0 ? k.length - 1 : Math.max(0, i - 1);
    return {x: x[i], kind: m.kind, words: [kinds[m.kind] ?? m.kind, m.words].filter(Boolean).join(' ')};
  });
}

export function Course({status: s, terms: t, seq}: LoopProps) {
  const [time, setTime] = useState(false), [first, setFirst] = useState(0);
  const entries = Array.from({length: Math.min(most, s.dims[0] - first)}, (_, i) => first + i);
  const names = ['value', 'value.low', 'value.high', 'direct', 'answer', 'cosine', 'step', 'trust', 'rows', 'early', 'without_trait', 'quarantined', 'ratio', 'ratio.low', 'ratio.high', 'multipliers.0', 'multipliers.1', 'multipliers.2', ...entries.flatMap(i => ['u.' + i, 'deployed.' + i])];
  const {data, error} = useReply<Series>(`${loopPath(s.loop)}/series?points=${points}&name=${names.join(',')}${time ? '&times=true' : ''}`, seq);
  const judged = useDecisions(s, judges, seq)?.filter(d => d.outcome?.guardrails?.length);
  const graphs = useMemo(() => data && [...graphsOf(data, time), ...guarded(time)], [data, time, judged?.length && judged[judged.length - 1].k]);

  function graphsOf(d: Series, byTime: boolean) {
    const x = byTime && d.at ? d.at.map((a, i) => a ? +new Date(a) / 1000 : NaN) : d.k;
    const base = {along: byTime ? 'time' : 'decision', rules: [], log: false, digits: 5, marks: flagged(d.marks, d.k, x), time: byTime} as unknown as LiveGraph;
    const g = (title: string, label: string, lines: LiveGraph['lines'], more: Partial<LiveGraph> = {}): LiveGraph => ({...base, title, label, lines, ...more});
    const list: {graph: LiveGraph; about?: string}[] = [];
    const value = middle(d.value);
    const band = any(d['value.low']) ? {low: d['value.low'].min, high: d['value.high'].max} : {};
    const vn = upper(valueName(t?.names));
    const worst = judged?.[judged.length - 1], rail = worst?.outcome!.guardrails!.find(r => r.kind === 'value' && r.value);
    const rules = rail && worst!.outcome!.value ? [{value: worst!.outcome!.value.mean + (t?.maximize ? 1 : -1) * rail.value!, label: rail.name + ': no worse than at first'}] : [];
    list.push({graph: g(vn, vn + inUnit(t?.names.value?.unit) + (t?.maximize ? ', to be large' : ', to be small'), [line(vn, 0, {x, ...value, ...band})], {tall: true, rules}),
      about: 'What the people who answered say of what was live; the band holds the mean of all in 95 of 100 such samples.'});
    for (const i of entries) {
      const u = middle(d['u.' + i]), dep = middle(d['deployed.' + i]), name = entry(t?.names, i);
      const rules = [t?.lower?.[i], t?.upper?.[i]].flatMap((v, j) => v != null && near(v, d['u.' + i]) ? [{value: v, label: (j ? 'at most ' : 'at least ') + v}] : []);
      const reach = Math.min(t?.cap.norm ?? Infinity, t?.cap.each ?? Infinity), seen = extent(d['u.' + i]), capped = isFinite(reach) && reach <= 2 * (seen[1] - seen[0]);
      const before = (e: Extremes | undefined, off: number) => [null, ...middle(e).mean.slice(0, -1)].map(v => v == null ? null : Math.min(Math.max(v + off, t?.lower?.[i] ?? -Infinity), t?.upper?.[i] ?? Infinity));
      list.push({graph: g(titled(t?.names, i), name + inUnit(unit(t?.names.decision, i)), [line('decided', 0, {x, ...u, steps: true}), line('deployed', 1, {mean: dep.mean, dash: [6, 4], steps: true}),
        ...(capped ? [line('within the cap', 5, {mean: before(d['deployed.' + i], 0), low: before(d['deployed.' + i], -reach), high: before(d['deployed.' + i], reach), dash: [1, 3], steps: true})] : [])], {rules}),
        about: isFinite(reach) && !capped ? `The cap of ${reach} is beyond the picture.` : undefined});
    }
    if (any(d.direct)) list.push({graph: g('The two terms', 'length of the parts of the gradient', [line('by the decision itself', 0, {x, ...middle(d.direct)}), line('by how people answer', 1, {...middle(d.answer), dash: [8, 4]})]),
      about: 'Where they are of one length and opposed (cosine −1), the loop has arrived.'},
      {graph: g('Their angle', 'cosine between the two terms', [line('cosine', 2, {x, ...middle(d.cosine)})], {rules: [{value: -1, label: 'opposed'}]})});
    if (any(d.step)) list.push({graph: g('Step', 'how far the iterate moved', [line('step', 3, {x, ...middle(d.step)})])});
    const prices = [0, 1, 2].filter(i => any(d['multipliers.' + i]));
    if (prices.length) list.push({graph: g('Multipliers', 'what the constraints weigh, 0 where one has slack', prices.map((i, n) => line('constraint ' + i, n, {...(n ? {} : {x}), ...middle(d['multipliers.' + i]), dash: dashes[n]})))});
    if (any(d.trust)) list.push({graph: g('Trust', 'in what the rule has learned, from 0 to 1', [line('trust', 4, {x, ...middle(d.trust)})])});
    if (any(d.ratio)) list.push({graph: g('Answer ratio', 'people’s answer, as a part of the model’s', [line('ratio', 2, {x, mean: middle(d.ratio).mean, low: d['ratio.low'].min, high: d['ratio.high'].max})], {rules: [{value: 1, label: 'as the model says'}]}),
      about: 'The band holds it in 99 of 100 such windows; it begins anew with every window.'});
    if (any(d.rows)) list.push({graph: g('People', 'who answered, by what became of it', [line('counted', 0, {x, ...middle(d.rows)}), line('too early', 1, {...middle(d.early), dash: [8, 4]}), line('without a trait', 4, {...middle(d.without_trait), dash: [2, 3]}), line('quarantined', 3, {...middle(d.quarantined), dash: [10, 3, 2, 3]})],
      {rules: t ? [{value: t.least, label: 'wanted'}] : []})});
    return list;
  }
  // guarded are the guardrails at the last closes; of a constraint, its slack.
  function guarded(byTime: boolean) {
    const names = [...new Set((judged || []).flatMap(d => d.outcome!.guardrails!.filter(g => g.kind !== 'value' && g.kind !== 'swing').map(g => g.name)))];
    return names.map(name => {
      const list = judged!.map(d => ({d, g: d.outcome!.guardrails!.find(g => g.name === name)})).filter(r => r.g?.value != null), newest = list[list.length - 1]?.g;
      const slack = newest?.kind === 'constraint', of = (pick: (g: Verdict) => number | undefined) => list.map(r => { const v = pick(r.g!); return v == null ? null : slack ? -v : v; });
      const rules = slack ? [{value: 0, label: 'no slack'}] : [[newest?.least, 'at least '], [newest?.most, 'at most ']].flatMap(([v, words]) => v == null ? [] : [{value: v as number, label: words as string + v}]);
      return {graph: {title: slack ? 'Slack: ' + name : 'Guardrail: ' + name, label: slack ? 'what is left until the constraint is broken' : name, along: byTime ? 'time' : 'decision', time: byTime, log: false, digits: 4, rules,
        lines: [line(name, 3, {x: list.map(r => byTime ? +new Date(r.d.opened_at) / 1000 : r.d.k), mean: of(g => g.value), low: of(g => slack ? g.high : g.low), high: of(g => slack ? g.low : g.high)})]} as unknown as LiveGraph, about: `At the last ${list.length} closes; the band holds the value of everybody in 99 of 100 such samples.`};
    }).filter(g => g.graph.lines[0].mean.length > 0);
  }
  if (error) return <p class="error">{error.message}</p>;
  if (!graphs) return <p class="quiet">Looking …</p>;
  if (!data!.k.length) return <p class="sentence">Nothing was decided yet.</p>;
  return <>
    <div class="filters">
      <div class="switch" role="group" aria-label="Horizontal axis">
        <button type="button" aria-pressed={!time} onClick={() => setTime(false)}>by decision</button><button type="button" aria-pressed={time} onClick={() => setTime(true)}>by time</button>
      </div>
      {s.dims[0] > most && <label class="field">Entries <select value={first} onChange={e => setFirst(+e.currentTarget.value)}>{Array.from({length: Math.ceil(s.dims[0] / most)}, (_, j) => <option value={j * most}>{j * most} … {Math.min(s.dims[0], (j + 1) * most) - 1}</option>)}</select></label>}
      <span class="quiet hint">Drag to zoom, double click to reset. ▾ marks what operators did.</span>
    </div>
    <div class="grid">{graphs.map(({graph, about}) => <Plot key={graph.title} graph={graph} about={about} />)}</div>
    <Rounds loop={s.loop} seq={seq} most={20} />
  </>;
}

// extent is the least and the largest of a series.
function extent(e: Extremes | undefined): [number, number] {
  const seen = [...(e?.min || []), ...(e?.max || [])].filter((v): v is number => v != null);
  return [Math.min(...seen), Math.max(...seen)];
}

// near tells whether a bound is close enough to what is drawn to be drawn with it.
function near(bound: number, e: Extremes | undefined): boolean {
  const [lo, hi] = extent(e), air = Math.max(.5 * (hi - lo), 1e-9 + .02 * Math.abs(hi));
  return bound > lo - air && bound < hi + air;
}
