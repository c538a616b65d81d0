// What keeps a loop from doing harm: caps, guardrails, approval, pins, and the way back.
import {Fragment, h} from 'preact';
import {useRef, useState} from 'preact/hooks';
import {call, Decision, Hindsight, loopPath, said, Status, Terms} from './api';
import {Act, Acting, acts, Dialog} from './dialog';
import {Guessed, useGuess} from './guess';
import {useDecisions} from './live';
import {Trusted} from './model';
import {approval, Entries, LoopProps} from './now';
import {Grid, Part} from './part';
import {entry, number, plural, span, unit, upper, valueName, vector, when, withUnit} from './words';

const last = 30, decimal = '[\\-+]?[0-9.]+([eE][\\-+]?[0-9]+)?';

export function Safety({status: s, terms: t, seq, may}: LoopProps) {
  const newest = useDecisions(s, last, seq), list = [...(newest || [])].reverse(), waiting = list.find(d => d.state === 'proposed'), closed = list.filter(d => d.state === 'closed' && d.deployment);
  const f = useGuess(s, waiting?.k || null);
  const held = closed.filter(d => d.outcome?.outcome !== 'step').length;
  return <>
    <p class="sentence" role="status">{s.mode === 'killed' ? 'The loop was killed; it answers the safe decision.' : waiting ? `Decision ${waiting.k} waits for approval.` : s.pin ? <>A decision is pinned: <b class="num">{vector(s.pin.u)}</b>.</> :
      s.k && !newest ? 'Looking …' : !closed.length ? 'Nothing was closed yet.' : held ? `${held} of the last ${plural(closed.length, 'close')} took no step.` : `All of the last ${plural(closed.length, 'close')} took a step.`}</p>
    <Acting list={{...acts(s, t), ...(waiting ? approval(s, t, waiting) : {})}} allowed={may('operate')} order={['approve', 'reject', 'pause', 'resume', 'unpin', 'kill']} />
    {waiting && <Part title={`Waits for approval: decision ${waiting.k}`}><Entries d={waiting} s={s} t={t} /><Guessed f={f} t={t} />
      {waiting.approve_by && <p class="quiet">It is rejected unless somebody approves it by {when(waiting.approve_by)}.</p>}</Part>}
    <Guardrails list={list} />
    <Try s={s} allowed={may('operate')} />
    <Caps s={s} t={t} newest={list[0]} />
    <Pin s={s} t={t} allowed={may('operate')} />
    <Back s={s} t={t} closed={closed} allowed={may('operate')} />
  </>;
}

// Guardrails is what was judged at the last closes.
function Guardrails({list}: {list: Decision[]}) {
  const judged = list.filter(d => d.outcome?.guardrails?.length), names = [...new Set(judged.flatMap(d => d.outcome!.guardrails!.map(g => g.name)))];
  return <Part title="Guardrails">
    <Trusted list={[...list].reverse()} />
    {!names.length ? <p class="quiet">None judged the last closes.</p> : <Grid label="Guardrails" heads={['Guardrail', 'Newest', '#Value', '#Bound', 'Verdicts, oldest first']}
      rows={names.map(n => {
        const all = judged.map(d => d.outcome!.guardrails!.find(g => g.name === n)).filter(g => !!g), g = all[0]!;
        return [n, <Verdict v={g.verdict} words />, number(g.value), g.most != null ? '≤ ' + number(g.most) : g.least != null ? '≥ ' + number(g.least) : '–', <span class="verdicts">{[...all].reverse().map(v => <Verdict v={v!.verdict} />)}</span>];
      })} />}
  </Part>;
}

const tried = 50;

// Try asks what a guardrail would have done at the last closes.
function Try({s, allowed}: {s: Status; allowed: boolean}) {
  const [found, setFound] = useState<Hindsight>(), [error, setError] = useState('');
  const submit = async (e: Event) => {
    e.preventDefault();
    const of = new FormData(e.currentTarget as HTMLFormElement), get = (name: string) => String(of.get(name));
    setError('');
    try {
      setFound(await call<Hindsight>('POST', `${loopPath(s.loop)}/guardrails/test`, {guardrails: [{name: 'tried', kind: 'metric', of: get('of'), [get('side')]: Number(get('bound')), action: get('action')}], last: tried}));
    } catch (e) { setFound(undefined); setError(said(e)); }
  };
  return <Part title="Try a guardrail">
    <form class="pin" onSubmit={submit}>
      <label class="field">What is watched <input type="text" name="of" required placeholder="mean(p[0])" autocomplete="off" /></label>
      <label class="field">is <select name="side"><option value="most">at most</option><option value="least">at least</option></select></label>
      <label class="field">Bound <input type="text" inputMode="decimal" name="bound" required pattern={decimal} /></label>
      <label class="field">or else <select name="action">{['hold', 'warn', 'rollback', 'kill'].map(a => <option>{a}</option>)}</select></label>
      <button type="submit" disabled={!allowed}>Try on the last {tried} rounds</button>
    </form>
    <p class="error" role="alert">{error}</p>
    <div role="status">{found && <p>Of {plural(found.closes, 'close')} it passes {found.pass}, fails {found.fail}, and of {found.inconclusive} it cannot tell{found.lacking ? `; the people of ${found.lacking} are no longer kept` : ''}. {found.would.some(w => w.action !== 'none') ? 'It would have acted.' : 'It would never have acted.'}</p>}</div>
    {!!found?.would.length && <Grid label="What it would have done" heads={['Decision', 'Verdict', 'Would', 'Why']} rows={found.would.map(w => [<a href={`#/loops/${s.loop}/decisions/${w.k}`}>{w.k}</a>, <Verdict v={w.verdict} words />, w.action, w.words])} />}
  </Part>;
}

const Verdict = ({v, words}: {v: string; words?: boolean}) => <span class={'verdict ' + v}>{v === 'pass' ? '✓' : v === 'fail' ? '✕' : '?'}{words ? ' ' + v : <span class="unseen"> {v}</span>}</span>;

function Caps({s, t, newest}: {s: Status; t?: Terms; newest?: Decision}) {
  if (!t) return null;
  const change = s.live && newest && newest.k !== s.live.k ? Math.hypot(...newest.u.map((v, i) => v - s.live!.u[i])) : undefined;
  const none = <span class="quiet">none</span>, time = (v?: number) => v == null ? <span class="quiet">never</span> : span(v);
  return <Part title="Caps and deadlines">
    <dl class="facts">
      <dt>Change at once</dt><dd>{t.cap.norm == null ? none : <>{number(t.cap.norm)}{change != null && <span class="quiet">; decision {newest!.k} takes {number(100 * change / t.cap.norm, 3)} % of it</span>}</>}</dd>
      <dt>Change of an entry</dt><dd>{t.cap.each == null ? none : number(t.cap.each)}</dd>
      <dt>Change in 24 h</dt><dd>{t.cap.day == null ? none : number(t.cap.day)}</dd>
      <dt>Lead of the rule</dt><dd>{t.cap.lead == null ? none : number(t.cap.lead)}</dd>
      <dt>Safe decision</dt><dd>{t.safe ? vector(t.safe) : <span class="quiet">none: the loop stays in the shadow</span>}</dd>
      <dt>Approval</dt><dd>{t.approval}</dd>
      <dt>People wanted</dt><dd>{t.least}</dd>
      <dt>Deployed within</dt><dd>{time(t.deadlines.deploy)}</dd>
      <dt>Closed within</dt><dd>{time(t.deadlines.data)}</dd>
    </dl></Part>;
}

function Pin({s, t, allowed}: {s: Status; t?: Terms; allowed: boolean}) {
  const [act, setAct] = useState<Act>(), [error, setError] = useState(''), from = useRef<HTMLElement | undefined>(undefined);
  if (s.mode !== 'live' || s.dims[0] > 20) return null;
  const start = s.pin?.u || s.live?.u || t?.safe || t?.start || [];
  const submit = async (e: Event) => {
    e.preventDefault();
    const form = e.currentTarget as HTMLFormElement, u = start.map((_, i) => Number((form.elements.namedItem('u' + i) as HTMLInputElement).value));
    from.current = form.querySelector('button') || undefined;
    setError('');
    try {
      await call('PUT', `${loopPath(s.loop)}/pin?dry_run=true`, {u, reason: ''});
      setAct({title: `Pin a decision of ${s.loop}`, button: 'Pin', danger: true, typed: s.loop, reason: 'wanted', afterwards: <p>From the next ask on <b class="num">{vector(u)}</b> is answered whatever the rule says, until it is unpinned. The rule goes on learning.</p>,
        run: reason => call('PUT', `${loopPath(s.loop)}/pin`, {u, reason})});
    } catch (e) { setError(said(e)); }
  };
  return <Part title="Pin a decision">
    <form class="pin" onSubmit={submit}>{start.map((v, i) => <label class="field">{entry(t?.names, i)}{unit(t?.names.decision, i) && ' in ' + unit(t?.names.decision, i)}
      <input type="text" inputMode="decimal" name={'u' + i} defaultValue={String(+v.toPrecision(6))} required pattern={decimal} /></label>)}
    <button type="submit" disabled={!allowed}>Pin…</button></form>
    <p class="error" role="alert">{error}</p>
    {act && <Dialog act={act} onClose={() => { setAct(undefined); from.current?.focus(); }} />}
  </Part>;
}

// Back lists what can be gone back to, with what would be live.
function Back({s, t, closed, allowed}: {s: Status; t?: Terms; closed: Decision[]; allowed: boolean}) {
  const [act, setAct] = useState<Act>(), [error, setError] = useState(''), from = useRef<HTMLElement | undefined>(undefined);
  if (s.mode !== 'live') return null;
  const open = async (button: HTMLElement, to: {k?: number; to?: string}, name: string) => {
    from.current = button;
    setError('');
    try {
      const {to: u} = await call<{to: number[]}>('POST', `${loopPath(s.loop)}/rollback?dry_run=true`, {...to, reason: ''});
      setAct({title: `Roll ${s.loop} back to ${name}`, button: 'Roll back', danger: true, typed: s.loop, reason: 'wanted', afterwards: <p>The next ask answers <b class="num">{vector(u)}</b>, at once and beyond the caps, and the rule goes on from there.</p>,
        run: (reason, once) => call('POST', `${loopPath(s.loop)}/rollback`, {...to, reason}, undefined, once)});
    } catch (e) { setError(said(e)); }
  };
  const button = (to: {k?: number; to?: string}, name: string) => <button type="button" disabled={!allowed} onClick={e => open(e.currentTarget, to, name)}>Roll back…<span class="unseen"> to {name}</span></button>;
  return <Part title="The way back">
    <p class="error" role="alert">{error}</p>
    <Grid label="What can be gone back to" heads={['To', 'Would be live', '#' + upper(valueName(t?.names)), '~Act']} rows={[
      ...(t?.safe ? [['safe', vector(t.safe), '–', button({to: 'safe'}, 'the safe decision')]] : []),
      ...closed.slice(0, 12).map(d => [<a href={`#/loops/${s.loop}/decisions/${d.k}`}>{d.k}</a>, vector(d.deployment!.u, 4), d.outcome?.value ? withUnit(number(d.outcome.value.mean, 4), t?.names.value?.unit) : '–', button({k: d.k}, 'decision ' + d.k)])]} />
    {act && <Dialog act={act} onClose={() => { setAct(undefined); from.current?.focus(); }} />}
  </Part>;
}
