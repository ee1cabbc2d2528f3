// The flood: ordinary calls of many merchants, either as fast as they are answered (saturation) or at a fixed rate
// (overload).

import { callText, judge, openLine, type Answer, type Line } from './baseline.ts';
import type { Tallies } from './tally.ts';

export interface FloodTask {
  readonly port: number;
  readonly tokens: readonly string[];
  /** Distinguishes the orders of one flood from those of another. */
  readonly prefix: string;
  readonly seconds: number;
  readonly connections: number;
  /** Calls per second; null: each connection sends as soon as it is answered. */
  readonly ratePerSecond: number | null;
}

/** The longest that any client may wait for an answer. */
export const ANSWER_WITHIN_MS = 10_000;
const TICK_MS = 5;
/** How long a caller that cannot connect at all rests before it tries again. */
const REST_MS = 20;

const CREATE = 'mutation ($input: CreatePaymentInput!) { createPayment(input: $input) { id status expiresAt } }';
const LIST = '{ payments(first: 10) { edges { node { id status amount transactions { txHash } } } } }';

/** A call to send. */
export interface Call {
  readonly kind: string;
  readonly text: string;
  /** The order's reference; null if the call creates no order. */
  readonly reference: string | null;
}

/** Sends the calls; resolves when each of them is answered or has waited too long for an answer. */
export async function flood(task: FloodTask, tallies: Tallies, nextCall = createCalls(task, tallies)): Promise<void> {
  const { port, connections, seconds, ratePerSecond } = task;
  const idle: Line[] = [];
  const underWay = new Set<{ readonly sentMs: number; readonly kind: string }>();
  const endsAt = performance.now() + 1_000 * seconds;
  let opened = 0;

  function sendOn(line: Line): void {
    const { kind, text, reference } = nextCall();
    const call = { sentMs: performance.now(), kind };
    underWay.add(call);
    if (reference !== null) tallies.asked.push(reference);
    line.send(text, (answer) => {
      if (!underWay.delete(call)) return;
      note(tallies, { kind, reference, ms: performance.now() - call.sentMs }, answer);
      release(line, answer !== null);
    });
  }

  function release(line: Line, answered: boolean): void {
    if (!line.isOpen()) {
      opened -= 1;
      if (ratePerSecond === null) setTimeout(() => sendNext(), answered ? 0 : REST_MS);
    } else if (ratePerSecond === null && performance.now() < endsAt) sendOn(line);
    else idle.push(line);
  }

  /** Sends a call on a free connection, or on a new one while more are allowed. */
  function sendNext(): void {
    if (performance.now() >= endsAt) return;
    let line = idle.pop();
    while (line && !line.isOpen()) {
      opened -= 1;
      line = idle.pop();
    }
    if (!line && opened >= connections) return;
    if (!line) opened += 1;
    sendOn(line ?? openLine(port));
  }

  if (ratePerSecond === null) for (let n = 0; n < connections; n += 1) sendNext();
  const startedMs = performance.now();
  let sent = 0;
  while (performance.now() < endsAt) {
    const due = ratePerSecond === null ? 0 : ((performance.now() - startedMs) / 1_000) * ratePerSecond;
    for (; sent < due; sent += 1) sendNext();
    await tick(TICK_MS);
  }
  const lastMs = performance.now() + ANSWER_WITHIN_MS;
  while (underWay.size > 0 && performance.now() < lastMs) await tick(20);
  for (const { kind, sentMs } of underWay) tallies.note(kind, 'odd', performance.now() - sentMs, 'no answer at all');
  underWay.clear();
  for (const line of idle) line.end();
}

const tick = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

interface Asked {
  readonly kind: string;
  readonly reference: string | null;
  readonly ms: number;
}

function note(tallies: Tallies, { kind, reference, ms }: Asked, answer: Answer | null): void {
  if (answer === null) return tallies.note(kind, 'odd', ms, 'cut off without an answer');
  const ending = judge(answer);
  tallies.note(kind, ending, ms, `${answer.status} ${answer.retryAfter ?? '-'} ${answer.body.slice(0, 200)}`);
  if (ending !== 'done' || reference === null) return;
  const orderId = /"(?:orderId|id)":"(ord_[^"]+)"/.exec(answer.body)?.[1] ?? '';
  tallies.created.push({ reference, orderId });
}

/** Creates one call after the other, each for the next merchant. */
function createCalls({ tokens, prefix }: FloodTask, { asked }: Tallies): () => Call {
  let count = 0;
  const rest = (method: string, path: string, headers: Record<string, string>, body = '') =>
    callText(method, `/api/v1${path}`, headers, body);
  return () => {
    count += 1;
    const headers = { Authorization: `Bearer ${tokens[count % tokens.length] ?? ''}` };
    const reference = `${prefix}-${asked.length}`;
    const keyed = { ...headers, 'Idempotency-Key': reference };
    const order = { amount: '1.5', currency: 'USDT', network: 'ETH', merchantOrderId: reference };
    // The number of merchants has no factor in common with 10, so that each of them makes calls of every kind.
    switch (count % 10) {
      case 0:
      case 1:
      case 2:
      case 3:
        return { kind: 'orders, REST', text: rest('POST', '/payments', keyed, JSON.stringify(order)), reference };
      case 4:
      case 5: {
        const body = JSON.stringify({ query: CREATE, variables: { input: order } });
        return { kind: 'orders, GraphQL', text: callText('POST', '/graphql', keyed, body), reference };
      }
      case 6:
      case 7: {
        const body = JSON.stringify({ query: LIST });
        return { kind: 'queries, GraphQL', text: callText('POST', '/graphql', headers, body), reference: null };
      }
      default:
        return { kind: 'lists, REST', text: rest('GET', '/payments?limit=20', headers), reference: null };
    }
  };
}
