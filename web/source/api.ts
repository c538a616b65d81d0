// The calls of the service, and what they answer.

export type Mode = 'shadow' | 'live' | 'paused' | 'killed' | 'archived';
export type Called = {name?: string; unit?: string};
export type Names = {symbol?: string; decision?: Called[]; state?: Called[]; trait?: Called[]; value?: Called};
export type Level = 'fine' | 'wait' | 'hold' | 'alarm';
export type Glance = {
  loop: string; mode: Mode; labels?: Record<string, string>; k: number; state?: string; level: Level; words: string; do?: string; value: Called; maximize: boolean;
  values: (number | null)[]; live_since?: string; live_k?: number; due?: string; pinned?: boolean; seq: number;
};
export type Overview = {now: string; loops: Glance[]; next_page_token?: string};
export type Status = {
  loop: string; epoch: string; mode: Mode; revision: number; dims: [number, number, number]; labels?: Record<string, string>; k: number; turns: number; state?: string;
  live?: {k: number; u: number[]; since: string}; pin?: {u: number[]; until_k?: number; until?: string; reason?: string}; alarms?: Record<string, string>; seq: number; hash: string;
};
export type Terms = {
  revision: number; spec: string; algorithm?: string; maximize: boolean; names: Names; lower?: (number | null)[]; upper?: (number | null)[]; start: number[]; safe?: number[]; least: number;
  cap: {norm?: number; each?: number; day?: number; lead?: number}; approval: string;
  deadlines: {settle?: number; deploy?: number; data?: number; approve?: number; give_up?: number; retain?: number};
};
export type Card = {name: string; state: Level; words: string; do?: string};
export type Receipt = {batch: string; rows: number; without_trait: number; observed_at: string; content: string; late?: boolean; erased?: boolean};
export type Verdict = {name: string; kind?: string; verdict: string; value?: number; low?: number; high?: number; most?: number; least?: number; action?: string; words?: string};
export type Ratio = {ratio?: number; low?: number; high?: number; verdict?: string};
export type Outcome = {
  outcome: string; reasons: string[] | null; sample: {rows: number; effective: number; early: number; late?: number; quarantined?: number; without_trait: number};
  value?: {mean: number; low: number; high: number}; terms?: {direct: number; answer: number; cosine: number; step: number}; iterate: number[] | null; state: string;
  guardrails?: Verdict[]; trust?: Ratio; quarantine?: Suspect[]; seen?: {answer?: {seen: number[]; said: number[]}};
};
export type Suspect = {row: number; what: string; entry: number; value: number; off?: number};
export type Worth = {mean: number; low: number; high: number};
export type Prospect = {u: number[]; feasible: boolean; value?: Worth; gain?: Worth; states: (number | null)[]};
export type Forecast = {k: number; people: number; value?: Worth; states?: (number | null)[]; stays?: Prospect; decided?: Prospect; vanilla?: Prospect; words?: string};
export type Answering = {k: number; people: number; states: number[]; entries: number[]; answers: (number | null)[][]; words?: string};
export type Hindsight = {closes: number; pass: number; fail: number; inconclusive: number; lacking?: number; would: {k: number; guardrail: string; verdict: string; action: string; words: string}[]};
export type Decision = {
  k: number; u: number[]; iterate: number[]; trust?: number; multipliers?: number[]; basis: string; reasons: string[] | null; state: string; opened_at: string; deploy_by?: string; approve_by?: string;
  deployment?: {u: number[]; deployed_at: string; off: number; feasible: boolean; measure_after: string; data_by?: string; overdue?: boolean}; batches?: Receipt[]; outcome?: Outcome; why?: string;
};
export type Explanation = {
  k: number; basis: string; from?: number[]; at?: number[]; direct?: number[]; answer?: number[]; eta?: number; stepped?: number[]; projected?: number[]; capped?: number[]; u: number[]; words: string;
};
export type Event = {seq: number; at: string; kind: string; actor: string; k?: number; ref?: string; body: any; hash: string};
export type Extremes = {min: (number | null)[]; max: (number | null)[]};
export type Mark = {k: number; seq: number; kind: string; words?: string; at?: string};
export type Series = {k: number[]; at?: (string | null)[]; marks: Mark[]} & {[name: string]: any};
export type Distribution = {k: number; entry: number; name?: string; unit?: string; people: number; edges: number[]; now: number[]; settled?: number[]; w1?: number; first?: number[]; chance?: number};
export type Standing = {needed: boolean; key?: string; rights: string[]; loops: string[]};

// Trouble is a reply that says why not.
export class Trouble extends Error {
  constructor(readonly status: number, readonly title: string, readonly detail: string) { super(detail || title); }
}

// said is what went wrong, in words.
export const said = (e: unknown) => e instanceof Trouble ? e.title + (e.detail ? ': ' + e.detail : '') : 'The service does not answer.';

let refused: (() => void) | undefined;

// onRefused is called when the service wants a key.
export function onRefused(f: () => void) { refused = f; }

export async function call<T>(method: string, path: string, body?: unknown, signal?: AbortSignal, once?: string): Promise<T> {
  const headers: Record<string, string> = {};
  if (body !== undefined) headers['Content-Type'] = 'application/json';
  if (once) headers['Idempotency-Key'] = once;
  const reply = await fetch(path, {method, headers, body: body === undefined ? undefined : JSON.stringify(body), signal, credentials: 'same-origin'});
  const text = await reply.text();
  const value = text ? JSON.parse(text) : undefined;
  if (!reply.ok) {
    if (reply.status === 401 && path !== '/v1/login') refused?.();
    throw new Trouble(reply.status, value?.title || reply.statusText, value?.detail || '');
  }
  return value as T;
}

export const get = <T>(path: string, signal?: AbortSignal) => call<T>('GET', path, undefined, signal);
export const loopPath = (loop: string) => '/v1/loops/' + encodeURIComponent(loop);
