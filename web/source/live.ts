// Where all loops are, as it happens: one stream for all tabs of a browser. Whoever holds a lock reads it and tells the others; every tab looks by
// itself now and then, which is what is left where streams do not work, and shows when one has died without a word.
import {useEffect, useRef, useState} from 'preact/hooks';
import {Decision, get, loopPath, Status, Trouble} from './api';

type Tip = {loop: string; seq: number};
type Message = {tips?: Tip[]; lost?: boolean};

const heads = new Map<string, number>();
const listeners = new Set<() => void>();
let lost: Date | undefined;
let begun = false;

const tell = () => listeners.forEach(f => f());

function hear(m: Message) {
  let news = false;
  for (const {loop, seq} of m.tips || []) {
    if ((heads.get(loop) || 0) !== seq) { heads.set(loop, seq); news = true; }
  }
  if (m.lost && !lost) { lost = new Date(); news = true; }
  if (m.lost === false && lost) { lost = undefined; news = true; }
  if (news) tell();
}

const tabs = typeof BroadcastChannel === 'function' ? new BroadcastChannel('kedge') : undefined;
const say = (m: Message) => { hear(m); tabs?.postMessage(m); };
if (tabs) tabs.onmessage = e => hear(e.data);

// read keeps the stream open, for ever.
function read(): Promise<void> {
  return new Promise(() => {
    const open = () => {
      const source = new EventSource('/v1/events');
      source.onopen = () => { say({lost: false}); look(); };
      source.addEventListener('head', e => say({tips: [JSON.parse((e as MessageEvent).data)], lost: false}));
      source.onerror = () => {
        say({lost: true});
        if (source.readyState === EventSource.CLOSED) setTimeout(open, 5000);
      };
    };
    open();
  });
}

// look asks where all loops are.
async function look() {
  try {
    const {loops} = await get<{loops: Tip[]}>('/v1/heads');
    hear({tips: loops, lost: false});
  } catch (e) {
    if (!(e instanceof Trouble)) hear({lost: true});
  }
}

// begin starts to listen, once.
export function begin() {
  if (begun) return;
  begun = true;
  if (navigator.locks && tabs) navigator.locks.request('kedge-stream', read); else read();
  look();
  setInterval(look, 10_000);
  document.addEventListener('visibilitychange', () => { if (!document.hidden) look(); });
}

// useChange shows anew when something moves, at most every so many milliseconds.
function useChange<T>(of: () => T, every: number, key = ''): T {
  const [value, set] = useState(of());
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => {
    const f = () => { timer.current ??= window.setTimeout(() => { timer.current = undefined; set(of()); }, every); };
    listeners.add(f);
    set(of());
    return () => { listeners.delete(f); clearTimeout(timer.current); timer.current = undefined; };
  }, [key]);
  return value;
}

// useHead is the newest event of a loop.
export const useHead = (loop: string) => useChange(() => heads.get(loop) || 0, 250, loop);

// useMoved is a text that changes whenever any loop does.
export const useMoved = () => useChange(() => [...heads].map(([loop, seq]) => loop + ':' + seq).join(' '), 500);

// useLost is since when nothing is heard; undefined while all is well.
export const useLost = () => useChange(() => lost, 100);

type Reply<T> = {data?: T; error?: Error; path?: string};

// useReply is the newest reply to a GET, asked for again when version changes. What is there stays until there is something newer, that to another question
// too where keep says so: pages of the newest decision would be empty for a moment at every new one.
export function useReply<T>(path: string | null, version: unknown = 0, keep = false): Reply<T> {
  const [reply, set] = useState<Reply<T>>({});
  const busy = useRef<AbortController | undefined>(undefined);
  const wanted = useRef('');
  useEffect(() => {
    if (path === null) return;
    const key = path + ' ' + version;
    wanted.current = key;
    const ask = async () => {
      if (busy.current) return; // who is under way asks again
      while (true) {
        const asked = wanted.current, to = asked.slice(0, asked.indexOf(' '));
        const control = busy.current = new AbortController();
        try {
          const data = await get<T>(to, control.signal);
          if (keep || wanted.current.startsWith(to + ' ')) set({data, path: to});
        } catch (e) {
          if (control.signal.aborted) return;
          if (wanted.current.startsWith(to + ' ')) set(was => ({data: was.path === to && !(e instanceof Trouble) ? was.data : undefined, error: e as Error, path: to}));
        } finally {
          busy.current = undefined;
        }
        if (wanted.current === asked) return;
      }
    };
    ask();
  }, [path, version]);
  useEffect(() => () => busy.current?.abort(), []);
  return path && (keep || reply.path === path) ? reply : {};
}

// useLast is what the newest reply says, also while one to another question is on its way.
export const useLast = <T>(path: string | null, version?: unknown) => useReply<T>(path, version, true).data;

// useDecisions are the newest of a loop, oldest first.
export const useDecisions = (s: Status, most: number, version: unknown) =>
  useLast<{decisions: Decision[]}>(s.k ? `${loopPath(s.loop)}/decisions?page_size=${most}&after_k=${Math.max(0, s.k - most)}` : null, version)?.decisions;

// useMetric is a number of the service, looked at every ten seconds; 0 while nobody knows.
export function useMetric(name: string): number {
  const [value, set] = useState(0);
  useEffect(() => {
    const look = () => fetch('/metrics').then(r => r.text()).then(text => set(parseFloat(text.split(`\nkedge_${name} `)[1]) || 0)).catch(() => { /* the next look tells */ });
    look();
    const timer = setInterval(look, 10_000);
    return () => clearInterval(timer);
  }, [name]);
  return value;
}
