// Several loops over each other: those that were forked, or decide for like people.
import {Fragment, h} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';
import {get, loopPath, Overview, Series, Terms} from './api';
import {dashes, line, LiveGraph, Plot} from './chart';
import {middle} from './course';
import {useMoved} from './live';
import {plural, titled, upper, valueName} from './words';

const most = 6;
type Course = {loop: string; series: Series; terms: Terms};

export function Compare({names}: {names: string[]}) {
  const moved = useMoved();
  const [all, setAll] = useState<string[]>(), [courses, setCourses] = useState<Course[]>([]), [error, setError] = useState('');
  const chosen = names.slice(0, most), key = chosen.join('/');
  useEffect(() => { get<Overview>('/v1/overview?page_size=1000').then(p => setAll(p.loops.map(g => g.loop)), e => setError(e.message)); }, []);
  useEffect(() => {
    let gone = false;
    Promise.all(chosen.map(async loop => {
      const terms = await get<Terms>(loopPath(loop) + '/terms');
      const entries = terms.start.slice(0, 4).map((_, i) => 'u.' + i);
      return {loop, terms, series: await get<Series>(`${loopPath(loop)}/series?points=600&name=${['value', 'step', ...entries].join(',')}`)};
    })).then(c => { if (!gone) { setCourses(c); setError(''); } }, e => { if (!gone) setError(e.message); });
    return () => { gone = true; };
  }, [key, moved]);
  const graphs = useMemo(() => {
    const shown = courses.filter(c => c.series.k.length);
    if (!shown.length) return [];
    const base = {along: 'decision', rules: [], log: false, digits: 5} as unknown as LiveGraph, {terms} = shown[0];
    const of = (title: string, unit: string | undefined, name: string, tall = false, steps = false): LiveGraph => ({...base, tall, title, label: unit ? 'in ' + unit : '',
      lines: shown.filter(c => c.series[name]?.max?.some((v: number | null) => v != null)).map((c, i) => line(c.loop, i, {x: c.series.k, mean: middle(c.series[name]).mean, dash: dashes[i], steps}))});
    return [of(upper(valueName(terms.names)), terms.names.value?.unit, 'value', true), of('Step', undefined, 'step'), ...terms.start.slice(0, 4).map((_, i) => of(titled(terms.names, i), terms.names.decision?.[i]?.unit, 'u.' + i, false, true))].filter(g => g.lines.length);
  }, [courses]);
  const toggle = (loop: string) => { location.hash = '#/compare/' + (chosen.includes(loop) ? chosen.filter(n => n !== loop) : [...chosen, loop].slice(-most)).map(encodeURIComponent).join('/'); };
  return <main id="main">
    <h1>Compare</h1>
    <p class="quiet">{chosen.length < 2 ? `Choose 2 to ${most} loops.` : plural(chosen.length, 'loop') + ', by numbers of decisions.'}</p>
    <div class="filters" role="group" aria-label="Loops">{(all || []).slice(0, 200).map(n => <button type="button" aria-pressed={chosen.includes(n)} class="choice" onClick={() => toggle(n)}>{n}</button>)}</div>
    {error && <p class="error">{error}</p>}
    <div class="grid">{chosen.length > 0 && graphs.map(g => <Plot key={g.title} graph={g} />)}</div>
  </main>;
}
