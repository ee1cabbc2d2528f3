// An unreliable node: a real HTTP proxy in front of a real node, which spoils answers as the test asks.

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * How an answer is spoilt. `nothing` answers null, and `missing` leaves the answer out; `lagging` answers like a node a
 * few blocks behind, `ahead` with the block after the one that was asked for, and `remembered` with an earlier answer
 * to the same question, from a branch that may be gone.
 */
export const HARMS = [
  ...['status', 'reset', 'silence', 'garbage', 'error', 'nothing', 'missing', 'lagging', 'ahead', 'remembered'],
] as const;
/** With `unsupported`, the node does not offer the method. */
export type Harm = (typeof HARMS)[number] | 'unsupported';

/** Which questions are spoilt, counted from now: the first `after` of them pass, the next `count` do not. */
export interface Spell {
  readonly harm: Harm;
  readonly after: number;
  readonly count: number;
  /** Only questions for this method are spoilt and counted; all if absent. */
  readonly method?: string;
  /** For `lagging`: how many blocks behind. */
  readonly blocks?: number;
}

export interface UnsteadyNode {
  readonly url: string;
  /** Replaces the current spells; a question gets the first of them that applies. */
  harm(...spells: Spell[]): void;
  heal(): void;
  /** How many questions were spoilt since. */
  harmed(): number;
  stop(): Promise<void>;
}

interface Question {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

interface State {
  /** The node behind; read each time, because it may restart at another URL. */
  readonly target: () => string;
  /** By question: its last answer, and the last different one before it. */
  readonly answers: Map<string, readonly unknown[]>;
  spells: { readonly spell: Spell; counted: number }[];
  harmed: number;
}

/** Faults of the HTTP exchange, independent of the question. */
const OF_THE_EXCHANGE = new Set<Harm>(['status', 'reset', 'silence', 'garbage']);
/** How many answers are kept for `remembered`. */
const KEPT_ANSWERS = 2_000;

/** Starts one on a free port, in front of the node at `target()`. It passes everything on until told otherwise. */
export async function startUnsteadyNode(target: () => string): Promise<UnsteadyNode> {
  const state: State = { target, answers: new Map(), spells: [], harmed: 0 };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Question | Question[];
      answer(state, body, response).catch((error: unknown) => response.writeHead(502).end(String(error)));
    });
  });
  // A client that asks again after some seconds must not reuse a connection that is just being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const begin = (...spells: Spell[]) => {
    state.spells = spells.map((spell) => ({ spell, counted: 0 }));
    state.harmed = 0;
  };
  return {
    url: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    harm: begin,
    heal: () => begin(),
    harmed: () => state.harmed,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(state: State, body: Question | Question[], response: ServerResponse): Promise<void> {
  const questions = Array.isArray(body) ? body : [body];
  const harms = questions.map((question) => harmOf(state, question));
  switch (harms.find((spell) => spell && OF_THE_EXCHANGE.has(spell.harm))?.harm) {
    case 'status':
      return void response.writeHead(503).end('upstream is tired');
    case 'reset':
      return void response.destroy();
    case 'silence':
      // Nothing is answered; the caller's time-out closes the connection.
      return;
    case 'garbage':
      return void response.end('<html>{"jsonrpc": "2.0", "result": {"num');
    default:
  }
  const answers = await Promise.all(questions.map((question, nth) => reply(state, question, harms[nth] ?? null)));
  const given = answers.filter((one) => one !== null);
  response.end(JSON.stringify(Array.isArray(body) ? given : (given[0] ?? {})));
}

/** The fault for this question. */
function harmOf(state: State, { method }: Question): Spell | null {
  for (const one of state.spells) {
    const { spell } = one;
    if (spell.method !== undefined && spell.method !== method) continue;
    const nth = one.counted;
    one.counted += 1;
    if (nth < spell.after || nth >= spell.after + spell.count) continue;
    state.harmed += 1;
    return spell;
  }
  return null;
}

/** The answer to one question; null for no answer. */
async function reply(state: State, question: Question, spell: Spell | null): Promise<object | null> {
  const envelope = { jsonrpc: '2.0', id: question.id };
  const key = JSON.stringify([question.method, question.params]);
  const remembered = state.answers.get(key)?.[0];
  switch (spell?.harm) {
    case 'missing':
      return null;
    case 'nothing':
      return { ...envelope, result: null };
    case 'error':
      return { ...envelope, error: { code: -32_000, message: 'the backend is overloaded' } };
    case 'unsupported':
      return { ...envelope, error: { code: -32_601, message: 'the method does not exist' } };
    case 'lagging':
      return { ...envelope, ...(await askLagging(state, question, spell.blocks ?? 1)) };
    case 'ahead':
      return { ...envelope, ...(await askNode(state.target(), question.method, oneFurther(question))) };
    case 'remembered':
      if (remembered !== undefined) return { ...envelope, result: remembered };
      break;
    default:
  }
  const truth = await askNode(state.target(), question.method, question.params);
  if ('result' in truth) remember(state, key, truth.result);
  return { ...envelope, ...truth };
}

/** Keeps the last answer that differs, and the one before it. */
function remember({ answers }: State, key: string, result: unknown): void {
  const last = answers.get(key)?.at(-1);
  if (last !== undefined && JSON.stringify(last) === JSON.stringify(result)) return;
  if (answers.size >= KEPT_ANSWERS) answers.clear();
  answers.set(key, last === undefined ? [result] : [last, result]);
}

/** The answer of a node that is some blocks behind, for which newer blocks do not exist. */
async function askLagging({ target }: State, { method, params }: Question, blocks: number): Promise<object> {
  if (method !== 'eth_getBlockByNumber') return askNode(target(), method, params);
  const newest = await askNode(target(), 'eth_blockNumber', []);
  const height = Math.max(0, Number('result' in newest ? newest.result : 0) - blocks);
  const [wanted, full] = params;
  if (wanted === 'pending' || (wanted !== 'latest' && Number(wanted) > height)) return { result: null };
  const at = wanted === 'latest' ? `0x${height.toString(16)}` : wanted;
  return askNode(target(), method, [at, full]);
}

/** The parameters of the question for the next block, if the question is for a block by number. */
function oneFurther({ method, params }: Question): readonly unknown[] {
  const [wanted, ...rest] = params;
  if (method !== 'eth_getBlockByNumber' || !String(wanted).startsWith('0x')) return params;
  return [`0x${(Number(wanted) + 1).toString(16)}`, ...rest];
}

type Told = { readonly result: unknown } | { readonly error: { readonly code: number; readonly message: string } };

/** Asks a node directly: its result, or the error that it answers. */
export async function askNode(url: string, method: string, params: readonly unknown[]): Promise<Told> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } };
  return error ? { error } : { result: result ?? null };
}
