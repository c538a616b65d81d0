// The dashboard: where one is, and what is there.
import {Fragment, h, render} from 'preact';
import {useEffect, useRef, useState} from 'preact/hooks';
import {call, get, loopPath, onRefused, said, Standing, Status, Terms} from './api';
import {Compare} from './compare';
import {Course} from './course';
import {DecisionPage} from './decision';
import {begin, useHead, useLost, useReply} from './live';
import {Log} from './log';
import {Badge, Loops} from './loops';
import {Model} from './model';
import {Now} from './now';
import {onScheme, Page, setTheme} from './page';
import {People} from './people';
import {Safety} from './safety';
import {ServerPage} from './server';
import {when} from './words';

// useRoute is the address behind the #, in parts.
function useRoute(): string[] {
  const parse = () => location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
  const [route, set] = useState(parse());
  useEffect(() => {
    const f = () => set(parse());
    addEventListener('hashchange', f);
    return () => removeEventListener('hashchange', f);
  }, []);
  return route;
}

const tabs: [string, string][] = [['', 'Now'], ['course', 'Course'], ['people', 'People'], ['model', 'Model'], ['safety', 'Safety'], ['log', 'Log']];

function App() {
  const route = useRoute(), lost = useLost();
  const [who, setWho] = useState<Standing>(), [help, setHelp] = useState(false);
  const ask = () => get<Standing>('/v1/login').then(setWho, () => setTimeout(ask, 2000));
  useEffect(() => { onRefused(ask); ask(); }, []);
  const inside = !!who && (!who.needed || !!who.key);
  useEffect(() => { if (inside) begin(); }, [inside]);
  useEffect(() => {
    const f = (e: KeyboardEvent) => {
      if (e.key === '?' && !(e.target as Element).closest('input, textarea, select')) setHelp(true);
    };
    addEventListener('keydown', f);
    return () => removeEventListener('keydown', f);
  }, []);
  const where = route.join('/');
  useEffect(() => {
    document.title = (route[0] === 'loops' ? route[1] + (route[2] ? ' · ' + route.slice(2).join(' ') : '') : route[0] || 'Loops') + ' · kedge';
    if (document.activeElement?.closest('main, nav')) return;
    scrollTo(0, 0);
  }, [where]);
  const may = (right: string) => !!who?.rights.includes(right);
  return <div class={lost ? 'stale' : ''}>
    <a class="skip" href="#main" onClick={e => { e.preventDefault(); const m = document.getElementById('main'); m?.setAttribute('tabindex', '-1'); m?.focus(); }}>To the content</a>
    <header class="top">
      <nav aria-label="Site"><a class="brand" href="#/">kedge</a>{route[0] === 'loops' && <><span class="quiet" aria-hidden="true">/</span><a href={'#/loops/' + route[1]}>{route[1]}</a></>}</nav>
      <div class="tools">
        {inside && <Pulse lost={lost} />}
        {inside && <a class="button quiet" href="#/server">Server</a>}
        <Scheme />
        <button type="button" class="quiet" aria-label="Keys" onClick={() => setHelp(true)}>?</button>
        {who?.needed && who.key && <button type="button" class="quiet" onClick={() => call('DELETE', '/v1/login').then(ask)}>Leave {who.key}</button>}
      </div>
    </header>
    {!who ? <main id="main"><p class="quiet">Looking …</p></main> : !inside ? <Enter onDone={setWho} /> :
      route[0] === 'loops' && route[1] ? <Loop key={route[1]} name={route[1]} rest={route.slice(2)} may={may} /> : route[0] === 'compare' ? <Compare names={route.slice(1)} /> : route[0] === 'server' ? <ServerPage may={may} /> : <Loops may={may} />}
    {help && <Keys onClose={() => setHelp(false)} />}
  </div>;
}

// Pulse says whether what is shown is what is.
const Pulse = ({lost}: {lost?: Date}) => <span class={'pulse ' + (lost ? 'lost' : '')} role="status">{lost ? `not live since ${when(lost)}` : 'live'}</span>;

function Scheme() {
  const [dark, set] = useState(Page.dark());
  useEffect(() => onScheme(() => set(Page.dark())), []);
  return <button type="button" class="quiet" aria-pressed={dark} onClick={() => setTheme(dark ? 'light' : 'dark')}>Dark</button>;
}

function Keys({onClose}: {onClose: () => void}) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => { box.current!.showModal(); }, []);
  const keys: [string, string][] = [['← →', 'move the cursor of all charts'], ['Shift ← →', 'in larger steps'], ['Home End', 'to the ends'], ['+ −', 'zoom, as does to drag'], ['0, Esc', 'show everything again, as does a double click'], ['?', 'this']];
  return <dialog ref={box} aria-labelledby="keys-title" onClose={onClose}>
    <h2 id="keys-title">Keys</h2>
    <dl class="facts">{keys.map(([k, v]) => <><dt><kbd>{k}</kbd></dt><dd>{v}</dd></>)}</dl>
    <div class="buttons"><button type="button" onClick={() => box.current!.close()}>Close</button></div>
  </dialog>;
}

// Enter wants a key.
function Enter({onDone}: {onDone: (s: Standing) => void}) {
  const [error, setError] = useState('');
  const submit = async (e: Event) => {
    e.preventDefault();
    const field = (e.currentTarget as HTMLFormElement).elements.namedItem('key') as HTMLInputElement;
    try {
      onDone(await call<Standing>('POST', '/v1/login', {key: field.value}));
    } catch (e) { setError(said(e)); }
    field.value = '';
  };
  return <main id="main" class="enter">
    <h1>This service wants a key</h1>
    <p class="quiet">It is kept in a cookie of this site that no script can read. <code>kedge key create --rights read,operate</code> makes one.</p>
    <form onSubmit={submit}>
      <label class="field">Key <input type="password" name="key" autocomplete="current-password" required placeholder="kedge_…" /></label>
      <p class="error" role="alert">{error}</p>
      <button type="submit" class="primary">Enter</button>
    </form>
  </main>;
}

function Loop({name, rest, may}: {name: string; rest: string[]; may: (right: string) => boolean}) {
  const seq = useHead(name), path = loopPath(name);
  const {data: s, error} = useReply<Status>(path, seq);
  const {data: t} = useReply<Terms>(path + '/terms', s?.revision);
  const [tab] = rest;
  const body = () => {
    const props = {status: s!, terms: t, seq: s!.seq, may};
    switch (tab || '') {
      case '': return <Now {...props} />;
      case 'course': return <Course {...props} />;
      case 'people': return <People {...props} />;
      case 'model': return <Model {...props} />;
      case 'safety': return <Safety {...props} />;
      case 'log': return <Log {...props} />;
      case 'decisions': if (+rest[1] >= 1) return <DecisionPage {...props} k={+rest[1]} />;
    }
    return <p class="sentence">There is no such page.</p>;
  };
  return <main id="main">
    <div class="title"><h1>{name}</h1>{s && <Badge mode={s.mode} pinned={!!s.pin} />}{s && Object.entries(s.labels || {}).slice(0, 6).map(([k, v]) => <span class="label-chip">{k}: {v}</span>)}</div>
    <nav class="tabs" aria-label="Pages of the loop">{tabs.map(([to, words]) => <a href={`#/loops/${name}${to && '/' + to}`} aria-current={(tab || '') === to ? 'page' : undefined}>{words}</a>)}</nav>
    {s ? body() : error ? <p class="error">{said(error)}</p> : <p class="quiet">Looking …</p>}
  </main>;
}

render(<App />, document.getElementById('app')!);
