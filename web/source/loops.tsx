// All loops, a line each; what needs a person first.
import {Fragment, h} from 'preact';
import {useEffect, useMemo, useState} from 'preact/hooks';
import {call, get, Glance, Overview, said, Trouble} from './api';
import {Spark} from './chart';
import {Acting} from './dialog';
import {useMoved} from './live';
import {ago, due, local, number, plural, valueName, when, withUnit} from './words';

const modes = ['live', 'shadow', 'paused', 'killed', 'archived'];

export const Badge = ({mode, pinned}: {mode: string; pinned?: boolean}) => <span class={'badge ' + mode}>{mode}{pinned && ', pinned'}</span>;

const levels: Record<string, string> = {fine: 'fine', wait: 'waits', hold: 'holds', alarm: 'alarm'};

// needs tells whether a person should look.
const needs = (g: Glance) => g.mode !== 'archived' && (g.level === 'alarm' || g.level === 'hold' || g.state === 'proposed');

// useFleet keeps the lines of all loops: the page once, then those that moved.
function useFleet() {
  const moved = useMoved();
  const [fleet, set] = useState<Map<string, Glance>>(), [error, setError] = useState<Error>(), [more, setMore] = useState<string>();
  const load = async (token = '') => {
    try {
      const page = await get<Overview>('/v1/overview?page_size=200' + (token ? '&page_token=' + encodeURIComponent(token) : ''));
      set(was => new Map([...(token && was ? was : []), ...page.loops.map(g => [g.loop, g] as [string, Glance])]));
      setMore(page.next_page_token);
      setError(undefined);
    } catch (e) { setError(e as Error); }
  };
  useEffect(() => { load(); }, []);
  useEffect(() => {
    if (!fleet || !moved) return;
    const seqs = new Map(moved.split(' ').map(s => { const i = s.lastIndexOf(':'); return [s.slice(0, i), +s.slice(i + 1)] as [string, number]; }));
    const stale = [...seqs].filter(([loop, seq]) => fleet.has(loop) ? fleet.get(loop)!.seq < seq : !more).map(([loop]) => loop);
    if (!stale.length) return;
    get<Overview>('/v1/overview?page_size=100&loops=' + stale.slice(0, 100).map(encodeURIComponent).join(',')).then(page => {
      set(was => new Map([...(was || []), ...page.loops.map(g => [g.loop, g] as [string, Glance])].sort(([a], [b]) => a < b ? -1 : 1)));
    }).catch(() => { /* the next look tells */ });
  }, [moved, !fleet]);
  return {fleet, error, more, load};
}

export function Loops({may}: {may: (right: string) => boolean}) {
  const {fleet, error, more, load} = useFleet();
  const [text, setText] = useState(''), [only, setOnly] = useState('all');
  const all = useMemo(() => [...(fleet?.values() || [])], [fleet]);
  const wanting = all.filter(needs);
  const shown = all.filter(g => {
    const words = [g.loop, g.mode, g.words, ...Object.entries(g.labels || {}).map(([k, v]) => `${k}=${v}`)].join(' ').toLowerCase();
    return text.toLowerCase().split(/\s+/).every(w => words.includes(w)) && (only === 'all' ? true : only === 'needs' ? needs(g) : g.mode === only);
  }).sort((a, b) => +needs(b) - +needs(a) || (a.loop < b.loop ? -1 : 1));
  if (error && !fleet) return <main id="main"><h1>Loops</h1><p class="error">{said(error)}</p></main>;
  if (!fleet) return <main id="main"><h1>Loops</h1><p class="quiet">Looking …</p></main>;
  const stoppable = all.filter(g => g.mode !== 'killed' && g.mode !== 'archived');
  return <main id="main">
    <h1 class="unseen">Loops</h1>
    <p class="sentence" role="status">{sentence(all, wanting)}</p>
    {all.length > 0 && <div class="filters">
      <label class="field grow"><span class="unseen">Filter</span><input type="search" placeholder="Filter by name, label or words" value={text} onInput={e => setText(e.currentTarget.value)} /></label>
      <label class="field"><span class="unseen">Which</span><select value={only} onChange={e => setOnly(e.currentTarget.value)}>
        <option value="all">all ({all.length})</option><option value="needs">need a person ({wanting.length})</option>
        {modes.filter(m => all.some(g => g.mode === m)).map(m => <option value={m}>{m} ({all.filter(g => g.mode === m).length})</option>)}
      </select></label>
      {all.length > 1 && <a class="button" href="#/compare">Compare</a>}
      {stoppable.length > 0 && <Acting allowed={may('operate')} order={['stop']} list={{stop: {
        title: 'Stop all loops', button: 'Stop all', danger: true, typed: 'stop all', reason: 'wanted',
        afterwards: <p>{plural(stoppable.length, 'loop')} {stoppable.length === 1 ? 'answers its' : 'answer their'} safe decision until somebody resumes it with a reason. Those without one are named and go on.</p>,
        run: async (reason, once) => {
          const r = await call<{killed: number; failed: unknown[]}>('POST', '/v1/kill', {reason}, undefined, once);
          if (r.failed?.length) throw new Trouble(200, `${r.killed} were killed`, 'not these: ' + r.failed.map(f => typeof f === 'string' ? f : (f as any).loop || JSON.stringify(f)).join(', '));
        },
      }}} />}
    </div>}
    {all.length === 0 && <Empty />}
    <ul class="fleet">{shown.map(g => <Row key={g.loop} g={g} />)}</ul>
    {shown.length === 0 && all.length > 0 && <p class="quiet">None of {plural(all.length, 'loop')} is like that.</p>}
    {more && <p><button type="button" onClick={() => load(more)}>Show more</button></p>}
  </main>;
}

function sentence(all: Glance[], wanting: Glance[]) {
  if (!all.length) return 'There is no loop yet.';
  const deciding = all.filter(g => g.mode === 'live').length;
  if (!wanting.length) return <>Nothing needs a person. <span class="quiet">{plural(all.length, 'loop')}, {deciding} of them decide.</span></>;
  const link = (g: Glance) => <a href={'#/loops/' + g.loop}>{g.loop}</a>, worst = ['alarm', 'hold', 'wait'], [first, ...rest] = [...wanting].sort((a, b) => worst.indexOf(a.level) - worst.indexOf(b.level));
  return <>{wanting.length === 1 ? 'A loop needs a person. ' : `${wanting.length} loops need a person. `}{link(first)}: {local(first.words).split('. ')[0].replace(/\.$/, '')}.{rest.length > 0 && <> Also {rest.slice(0, 6).map((g, i) => <>{i > 0 && ', '}{link(g)}</>)}{rest.length > 6 ? ' …' : '.'}</>} <span class="quiet">{plural(all.length, 'loop')}, {deciding} of them decide.</span></>;
}

const Empty = () => <div class="empty">
  <p>A loop is one rule against one live population. Make one, in the shadow first:</p>
  <pre>kedge loop create shop shop.yaml{'\n'}kedge simulate lq2 --trials 1      # or let simulated people answer</pre>
</div>;

function Row({g}: {g: Glance}) {
  const value = [...(g.values || [])].reverse().find(v => v != null);
  return <li class={'row ' + (needs(g) ? 'needs' : '')}>
    <div class="who"><a class="name" href={'#/loops/' + g.loop}>{g.loop}</a>
      {Object.entries(g.labels || {}).slice(0, 4).map(([k, v]) => <span class="label-chip">{k}: {v}</span>)}</div>
    <div class="mode"><Badge mode={g.mode} pinned={g.pinned} /></div>
    <p class="says"><span class={'level ' + g.level}><span class="unseen">{levels[g.level]}: </span></span><span>{local(g.words)}</span></p>
    <div class="value"><Spark values={g.values || []} /><span class="num">{value == null ? '–' : withUnit(number(value, 4), g.value.unit)}</span><span class="unseen"> {valueName({value: g.value})}</span></div>
    <div class="age"><span class="key">live</span> {g.live_since ? <><span class="num">{ago(g.live_since)}</span> <span class="quiet">decision {g.live_k}</span></> : <span class="quiet">nothing yet</span>}</div>
    <div class="due"><span class="key">due</span> {g.due ? <span class="num" title={when(g.due)}>{due(g.due)}</span> : <span class="quiet">nothing</span>}</div>
  </li>;
}
