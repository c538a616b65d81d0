// What operators do. A dialog says what will be live afterwards, and what is dangerous wants the loop's name typed.
import {Fragment, h} from 'preact';
import type {ComponentChildren} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {call, loopPath, said, Status, Terms, Trouble} from './api';
import {number, vector} from './words';

export type Act = {
  title: string; button: string; danger?: boolean; typed?: string; reason?: 'wanted' | 'needed';
  afterwards: ComponentChildren; // what will be live
  run: (reason: string, once: string) => Promise<unknown>;
};

export function Dialog({act, onClose}: {act: Act; onClose: (done: boolean) => void}) {
  const box = useRef<HTMLDialogElement>(null), once = useRef(crypto.randomUUID());
  const [name, setName] = useState(''), [reason, setReason] = useState(''), [error, setError] = useState(''), [busy, setBusy] = useState(false);
  useEffect(() => { box.current!.showModal(); }, []);
  const ready = (!act.typed || name === act.typed) && (act.reason !== 'needed' || reason.trim() !== '');
  const submit = async (e: Event) => {
    e.preventDefault();
    if (!ready || busy) return;
    setBusy(true);
    setError('');
    try {
      await act.run(reason.trim(), once.current);
      box.current!.close();
      onClose(true);
    } catch (e) {
      setError(said(e) + (e instanceof Trouble ? '' : ' Nothing is known to have happened. The same again does no harm.'));
      setBusy(false);
    }
  };
  return <dialog ref={box} aria-labelledby="dialog-title" onCancel={() => onClose(false)}>
    <form onSubmit={submit}>
      <h2 id="dialog-title">{act.title}</h2>
      <div class="afterwards">{act.afterwards}</div>
      {act.reason && <label class="field">Reason{act.reason === 'wanted' && <span class="quiet"> (goes into the log)</span>}
        <input type="text" value={reason} onInput={e => setReason(e.currentTarget.value)} autocomplete="off" maxLength={500} /></label>}
      {act.typed && <label class="field">Type <strong>{act.typed}</strong> to go on
        <input type="text" value={name} onInput={e => setName(e.currentTarget.value)} autocomplete="off" autocapitalize="off" spellcheck={false} /></label>}
      <p class="error" role="alert">{error}</p>
      <div class="buttons">
        <button type="button" onClick={() => { box.current!.close(); onClose(false); }}>Cancel</button>
        <button type="submit" class={act.danger ? 'danger' : 'primary'} disabled={!ready || busy}>{act.button}</button>
      </div>
    </form>
  </dialog>;
}

const live = (s: Status) => s.live ? <>What is live, <b class="num">{vector(s.live.u)}</b> of decision {s.live.k}, stays live.</> : <>Nobody has said what is live; nothing changes there.</>;

// acts are what can be done to a loop, by the mode it is in.
export function acts(s: Status, t: Terms | undefined): Record<string, Act> {
  const path = loopPath(s.loop), to = (word: string) => (reason: string, once: string) => call('POST', `${path}/${word}`, {reason}, undefined, once);
  const all: Record<string, Act> = {};
  if (s.mode === 'live' || s.mode === 'shadow') {
    all.pause = {title: `Pause ${s.loop}`, button: 'Pause', reason: 'wanted', afterwards: <p>{live(s)} The loop answers it and learns nothing until it is resumed.</p>, run: to('pause')};
  }
  if (s.mode === 'paused') all.resume = {title: `Resume ${s.loop}`, button: 'Resume', typed: s.loop, reason: 'wanted', afterwards: <p>{live(s)} The next ask answers a decision of the rule, within {capWords(t)} of it.</p>, run: to('resume')};
  if (s.mode === 'killed') all.resume = {title: `Resume ${s.loop} after the kill`, button: 'Resume', typed: s.loop, reason: 'needed', afterwards: <p>{live(s)} The rule goes on from there; the next decision is within {capWords(t)} of it.</p>, run: to('resume')};
  if (s.mode === 'shadow') all.promote = {title: `Let ${s.loop} decide`, button: 'Go live', typed: s.loop, reason: 'wanted', afterwards: <p>{live(s)} From the next ask on the rule decides, each time within {capWords(t)} of what is live.</p>, run: to('promote')};
  if (s.mode === 'live' || s.mode === 'paused') all.shadow = {title: `Put ${s.loop} in the shadow`, button: 'To the shadow', typed: s.loop, reason: 'wanted', afterwards: <p>{live(s)} The loop only says what it would have done.</p>, run: to('shadow')};
  if (s.mode !== 'killed' && s.mode !== 'archived') {
    all.kill = {title: `Kill ${s.loop}`, button: 'Kill', danger: true, typed: s.loop, reason: 'wanted', run: to('kill'),
      afterwards: t?.safe ? <p>From now on every ask answers the safe decision, <b class="num">{vector(t.safe)}</b>, until somebody resumes the loop with a reason.</p> : <p>The spec names no safe decision, so that a kill is refused. Pause keeps what is live.</p>};
  }
  if (s.pin) all.unpin = {title: `Unpin ${s.loop}`, button: 'Unpin', afterwards: <p>{live(s)} The next ask answers a decision of the rule again.</p>, run: () => call('DELETE', `${path}/pin`)};
  return all;
}

export const capWords = (t: Terms | undefined) => t?.cap.norm == null ? 'no cap' : number(t.cap.norm);

// Acting shows buttons, and the dialog of the one that was pressed.
export function Acting({list, allowed, order}: {list: Record<string, Act>; allowed: boolean; order: string[]}) {
  const [open, setOpen] = useState<Act>(), from = useRef<HTMLElement | undefined>(undefined);
  return <div class="acts">
    {order.filter(n => list[n]).map(n => <button type="button" class={list[n].danger ? 'danger' : ''} disabled={!allowed}
      onClick={e => { from.current = e.currentTarget; setOpen(list[n]); }}>{list[n].button}…</button>)}
    {!allowed && order.some(n => list[n]) && <span class="quiet">This key may look, not operate.</span>}
    {open && <Dialog act={open} onClose={() => { setOpen(undefined); from.current?.focus(); }} />}
  </div>;
}
