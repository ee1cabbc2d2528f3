// Slow clients: they send a body a byte at a time, request large answers and hardly read them, or send bodies of the
// maximum size. The gateway may cut them off, and they must not affect others.

import { callText, judge, openBareSocket, openLine } from './baseline.ts';
import type { Tallies } from './tally.ts';

export interface SlowTask {
  readonly port: number;
  readonly tokens: readonly string[];
  readonly seconds: number;
  /** Connections of each kind. */
  readonly slowSenders: number;
  readonly slowReaders: number;
  readonly largeBodies: number;
}

const BYTE_EVERY_MS = 500;
/** A body of this many bytes at that pace takes longer than any run. */
const SLOW_BODY_BYTES = 400;
/** Lists that a slow reader requests at once: more than fits into the buffers of both sides. */
const PIPELINED = 40;
/** Just below the limit of 100 KB. */
const LARGE_BYTES = 100 * 1_024 - 10;

type Of = (task: SlowTask, tallies: Tallies, index: number) => Promise<void>;

export async function goSlow(task: SlowTask, tallies: Tallies): Promise<void> {
  const all = (count: number, one: Of) => Array.from({ length: count }, (_, index) => one(task, tallies, index));
  await Promise.all([
    ...all(task.slowSenders, sendSlowly),
    ...all(task.slowReaders, readSlowly),
    ...all(task.largeBodies, sendLarge),
  ]);
}

const tokenOf = ({ tokens }: SlowTask, index: number) => ({
  Authorization: `Bearer ${tokens[index % tokens.length] ?? ''}`,
});

/** Sends the headers of an order and then drips its body. An early answer is a refusal; either side may hang up. */
const sendSlowly: Of = async (task, tallies, index) => {
  const kind = 'slow senders';
  const endsAt = performance.now() + 1_000 * task.seconds;
  while (performance.now() < endsAt) {
    const startedMs = performance.now();
    const socket = openBareSocket(task.port);
    const closed = new Promise((resolve) => socket.once('close', resolve));
    let heard = '';
    socket.on('data', (chunk) => {
      heard += chunk.toString();
      socket.end();
    });
    const text = callText('POST', '/api/v1/payments', tokenOf(task, index), ' '.repeat(SLOW_BODY_BYTES));
    socket.write(text.slice(0, -SLOW_BODY_BYTES));
    const dripping = setInterval(() => void (socket.writable && socket.write(' ')), BYTE_EVERY_MS);
    const ending = setTimeout(() => socket.destroy(), Math.max(0, endsAt - performance.now()));
    await closed;
    clearInterval(dripping);
    clearTimeout(ending);
    const ms = performance.now() - startedMs;
    const isRefusal = heard === '' || /^HTTP\/1\.1 (408|429|503) /.test(heard);
    tallies.note(kind, isRefusal ? 'cut' : 'odd', ms, heard.slice(0, 300));
    if (heard !== '') await new Promise((resolve) => setTimeout(resolve, 1_000));
  }
};

/** Requests many lists at once and reads a few bytes of the answers per second. */
const readSlowly: Of = async (task, tallies, index) => {
  const startedMs = performance.now();
  const socket = openBareSocket(task.port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(callText('GET', '/api/v1/payments?limit=100', tokenOf(task, index)).repeat(PIPELINED));
  socket.pause();
  const reading = setInterval(() => void socket.read(1), BYTE_EVERY_MS);
  const ending = setTimeout(() => socket.destroy(), 1_000 * task.seconds);
  await closed;
  clearInterval(reading);
  clearTimeout(ending);
  tallies.note('slow readers', 'cut', performance.now() - startedMs);
};

/** Sends orders whose bodies are as large as allowed, as fast as they are answered. */
const sendLarge: Of = async (task, tallies, index) => {
  const kind = 'large bodies';
  const endsAt = performance.now() + 1_000 * task.seconds;
  const order = JSON.stringify({ amount: '1.5', currency: 'USDT', network: 'ETH' });
  let line = openLine(task.port);
  while (performance.now() < endsAt) {
    if (!line.isOpen()) line = openLine(task.port);
    const startedMs = performance.now();
    const reference = `large-${tallies.asked.length}`;
    tallies.asked.push(reference);
    const body = `${order.slice(0, -1)},"merchantOrderId":"${reference}"`.padEnd(LARGE_BYTES) + '}';
    const text = callText('POST', '/api/v1/payments', { ...tokenOf(task, index), 'Idempotency-Key': reference }, body);
    const answer = await new Promise<Parameters<typeof judge>[0] | null>((resolve) => line.send(text, resolve));
    const ms = performance.now() - startedMs;
    if (answer === null) tallies.note(kind, 'odd', ms, 'cut off without an answer');
    else {
      const ending = judge(answer);
      tallies.note(kind, ending, ms, `${answer.status} ${answer.body.slice(0, 200)}`);
      const orderId = /"orderId":"(ord_[^"]+)"/.exec(answer.body)?.[1] ?? '';
      if (ending === 'done') tallies.created.push({ reference, orderId });
    }
    await new Promise((resolve) => setTimeout(resolve, BYTE_EVERY_MS));
  }
  line.end();
};
