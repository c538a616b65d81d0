// What keeps a loop from doing harm: caps, guardrails, approval, pins, and the way back.
import {Fragment, h} from 'preact';
import {useRef, useState} from 'preact/hooks';
import {call, Decision, loopPath, Status, Terms, Trouble} from './api';
import {Act, Acting, acts, Dialog} from './dialog';
import {useReply} from './live';
import {approval, Entries, LoopProps} from './now';
import {entry, number, plural, span, unit, upper, valueName, vector, when, withUnit} from './words';

const last = 30;

export function Safety({status: s, terms: t, seq, may}: LoopProps) {
  const path = loopPath(s.loop);
  const page = useReply<{decisions: Decision[]}>(s.k ? `${path}/decisions?page_size=${last}&after_k=${Math.max(0, s.k - last)}` : null, seq).data;
  const list = [...(page?.decisions || [])].reverse(), waiting = list.find(d => d.state === 'proposed'), closed = list.filter(d => d.state === 'closed' && d.deployment);
  const held = closed.filter(d => d.outcome?.outcome !== 'step').length;
  return <>
    <p class="sentence" role="status">{s.mode === 'killed' ? 'The loop was killed; it answers the safe decision.' : waiting ? `Decision ${waiting.k} waits for approval.` : s.pin ? <>A decision is pinned: <b class="num">{vector(s.pin.u)}</b>.</> :
      closed.length === 0 ? 'Nothing was closed yet.' : held ? `${held} of the last ${plural(closed.length, 'close')} took no step.` : `All of the last ${plural(closed.length, 'close')} took a step.`}</p>
    <Acting list={{...acts(s, t), ...(waiting ? approval(s, t, waiting) : {})}} allowed={may('operate')} order={['approve', 'reject', 'pause', 'resume', 'unpin', 'kill']} />
    {waiting && <section aria-labelledby="wait-title"><h2 id="wait-title">Waits for approval: decision {waiting.k}</h2><Entries d={waiting} s={s} t={t} />
      {waiting.approve_by && <p class="quiet">It is rejected unless somebody approves it by {when(waiting.approve_by)}.</p>}</section>}
    <Guardrails list={list} />
    <Caps s={s} t={t} newest={list[0]} />
    <Pin s={s} t={t} allowed={may('operate')} />
    <Back s={s} t={t} closed={closed} allowed={may('operate')} />
  </>;
}

// Guardrails is what was judged at the last closes.
function Guardrails({list}: {list: Decision[]}) {
  const judged = list.filter(d => d.outcome?.guardrails?.length), names = [...new Set(judged.flatMap(d => d.outcome!.guardrails!.map(g => g.name)))];
  const trust = list.find(d => d.outcome?.trust)?.outcome?.trust;
  if (!names.length && !trust) return <section aria-labelledby="guard-title"><h2 id="guard-title">Guardrails</h2><p class="quiet">None of the last closes was judged by one.</p></section>;
  return <section aria-labelledby="guard-title"><h2 id="guard-title">Guardrails</h2>
    {trust?.verdict && <p>The model is <b>{trust.verdict}</b>{trust.ratio != null && <>: people answer <b class="num">{number(trust.ratio, 3)}</b> <span class="quiet num">({number(trust.low, 3)} … {number(trust.high, 3)})</span> of what it says</>}.</p>}
    {names.length > 0 && <div class="scroll" tabIndex={0} role="region" aria-label="Guardrails"><table>
      <thead><tr><th scope="col">Guardrail</th><th scope="col">Newest</th><th scope="col" class="number">Value</th><th scope="col" class="number">Bound</th><th scope="col">Verdicts, oldest first</th></tr></thead>
      <tbody>{names.map(n => {
        const all = judged.map(d => d.outcome!.guardrails!.find(g => g.name === n)).filter(g => !!g), g = all[0]!;
        return <tr><th scope="row">{n}</th><td><Verdict v={g.verdict} words /></td><td class="number">{number(g.value)}</td><td class="number">{g.most != null ? '≤ ' + number(g.most) : g.least != null ? '≥ ' + number(g.least) : '–'}</td>
          <td class="verdicts">{[...all].reverse().map(v => <Verdict v={v!.verdict} />)}</td></tr>;
      })}</tbody></table></div>}
  </section>;
}

const Verdict = ({v, words}: {v: string; words?: boolean}) => <span class={'verdict ' + v}>{v === 'pass' ? '✓' : v === 'fail' ? '✕' : '?'}{words ? ' ' + v : <span class="unseen"> {v}</span>}</span>;

function Caps({s, t, newest}: {s: Status; t?: Terms; newest?: Decision}) {
  if (!t) return null;
  const change = s.live && newest && newest.k !== s.live.k ? Math.hypot(...newest.u.map((v, i) => v - s.live!.u[i])) : undefined;
  const none = <span class="quiet">none</span>, time = (v?: number) => v == null ? <span class="quiet">never</span> : span(v);
  return <section aria-labelledby="caps-title"><h2 id="caps-title">Caps and deadlines</h2>
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
    </dl></section>;
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
    } catch (e) { setError(e instanceof Trouble ? e.title + ': ' + e.detail : 'The service does not answer.'); }
  };
  return <section aria-labelledby="pin-title"><h2 id="pin-title">Pin a decision</h2>
    <form class="pin" onSubmit={submit}>{start.map((v, i) => <label class="field">{entry(t?.names, i)}{unit(t?.names.decision, i) && ' in ' + unit(t?.names.decision, i)}
      <input type="text" inputMode="decimal" name={'u' + i} defaultValue={String(+v.toPrecision(6))} required pattern="[\-+]?[0-9.]+([eE][\-+]?[0-9]+)?" /></label>)}
    <button type="submit" disabled={!allowed}>Pin…</button></form>
    <p class="error" role="alert">{error}</p>
    {act && <Dialog act={act} onClose={() => { setAct(undefined); from.current?.focus(); }} />}
  </section>;
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
    } catch (e) { setError(e instanceof Trouble ? e.title + ': ' + e.detail : 'The service does not answer.'); }
  };
  const button = (to: {k?: number; to?: string}, name: string) => <button type="button" disabled={!allowed} onClick={e => open(e.currentTarget, to, name)}>Roll back…<span class="unseen"> to {name}</span></button>;
  return <section aria-labelledby="back-title"><h2 id="back-title">The way back</h2>
    <p class="error" role="alert">{error}</p>
    <div class="scroll" tabIndex={0} role="region" aria-label="What can be gone back to"><table>
      <thead><tr><th scope="col">To</th><th scope="col">Would be live</th><th scope="col" class="number">{upper(valueName(t?.names))}</th><th scope="col"><span class="unseen">Act</span></th></tr></thead>
      <tbody>
        {t?.safe && <tr><th scope="row">safe</th><td class="num">{vector(t.safe)}</td><td class="number">–</td><td>{button({to: 'safe'}, 'the safe decision')}</td></tr>}
        {closed.slice(0, 12).map(d => <tr><th scope="row"><a href={`#/loops/${s.loop}/decisions/${d.k}`}>{d.k}</a></th><td class="num">{vector(d.deployment!.u, 4)}</td><td class="number">{d.outcome?.value ? withUnit(number(d.outcome.value.mean, 4), t?.names.value?.unit) : '–'}</td><td>{button({k: d.k}, 'decision ' + d.k)}</td></tr>)}
      </tbody></table></div>
    {act && <Dialog act={act} onClose={() => { setAct(undefined); from.current?.focus(); }} />}
  </section>;
}
