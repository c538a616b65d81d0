// The service itself: keys, limits, disk, heads, copies.
import {Fragment, h} from 'preact';
import {useState} from 'preact/hooks';
import {call, get, Trouble} from './api';
import {Acting} from './dialog';
import {useMetric, useMoved, useReply} from './live';
import {Grid, Part} from './part';
import {ago, count, number, span, upper, when} from './words';

type Key = {prefix: string; rights: string[]; loops: string[]; created: string; by: string; expires?: string; last_used?: string; revoked?: string};

// bytes is a size in the unit that suits it.
function bytes(n: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB'];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) { n /= 1000; i++; }
  return number(n, 3) + '\u202f' + units[i];
}

export function ServerPage({may}: {may: (right: string) => boolean}) {
  const moved = useMoved(), [made, setMade] = useState('');
  const version = useReply<{version: string; limits: Record<string, any>}>('/version').data;
  const ready = useReply<unknown>('/readyz', moved), free = useMetric('disk_free_bytes');
  const heads = useReply<{loops: {loop: string; seq: number; hash: string}[]}>('/v1/heads', moved).data;
  const [version2, setVersion2] = useState(0), keys = useReply<{keys: Key[]}>(may('admin') ? '/v1/keys' : null, version2).data;
  return <main id="main">
    <h1 class="unseen">Server</h1>
    <p class="sentence" role="status">{ready.error ? `The service takes no commands: ${ready.error.message}.` : 'The service takes commands.'} <span class="quiet">{version && `kedge ${version.version}. `}{heads && `${count(heads.loops.length)} loops, ${count(heads.loops.reduce((n, tip) => n + tip.seq, 0))} events. `}{free > 0 && `${bytes(free)} of disk free.`}</span></p>
    {may('admin') && <><Acting allowed order={['backup']} list={{backup: {title: 'Copy everything', button: 'Backup', afterwards: <p>The copy is made beside the data of the service, opened again and checked.</p>,
      run: async () => { const b = await call<any>('POST', '/v1/backup'); setMade(`${b.file}: ${count(b.loops ?? 0)} loops, ${count(b.events ?? 0)} events, ${b.checked === false ? 'NOT checked' : 'checked'}.`); }}}} /><p role="status">{made}</p></>}
    <Part title="Keys">
      {!may('admin') ? <p class="quiet">Only a key with the right admin sees them.</p> : !keys?.keys.length ? <p class="quiet">There are none: on this machine everybody may do everything. <code>kedge key create</code> makes one.</p> :
        <Grid label="Keys" heads={['Key', 'May', 'Loops', 'Last used', 'Ends', '~Act']} rows={keys.keys.map(k => [<code>{k.prefix}…</code>, k.rights.join(', '), k.loops.join(', '), k.last_used ? ago(k.last_used) + ' ago' : 'never', k.revoked ? 'revoked ' + when(k.revoked) : k.expires ? when(k.expires) : 'never',
          !k.revoked && <Acting allowed order={['revoke']} list={{revoke: {title: `Revoke ${k.prefix}…`, button: 'Revoke', danger: true, typed: k.prefix, reason: 'wanted', afterwards: <p>It opens nothing from that moment on, for good, and its streams end. No decision changes.</p>,
            run: async reason => { await call('DELETE', '/v1/keys/' + encodeURIComponent(k.prefix), {reason}); setVersion2(v => v + 1); }}}} />])} />}
    </Part>
    <Part title="Heads of the chains">
      <p class="quiet">Whoever notes these can tell later whether any event before them was changed.</p>
      {heads && <Grid label="Heads" heads={['Loop', '#Events', 'Hash']} rows={heads.loops.slice(0, 500).map(tip => [<a href={'#/loops/' + tip.loop}>{tip.loop}</a>, count(tip.seq), <code class="hash">{tip.hash.slice(0, 16)}…</code>])} />}
    </Part>
    {version && <Part title="Limits">
      <dl class="facts">{Object.entries(version.limits).filter(([, v]) => typeof v === 'number').map(([k, v]) => <><dt>{upper(k.replace(/_ns$/, '').replace(/json/, 'JSON').replace(/_/g, ' '))}</dt><dd>{/_ns$/.test(k) ? span(v / 1e9) : /bytes/.test(k) ? bytes(v) : count(v)}</dd></>)}</dl></Part>}
  </main>;
}
