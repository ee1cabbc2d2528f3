// A process that holds subscribed sockets and records when each change arrived.

import { WebSocket } from 'ws';
import { nowMs, serve } from './process.ts';
import type { ServerKind } from './server.ts';

/** One socket: the merchant's token, and the payment that it follows. */
export interface Holding {
  readonly token: string;
  readonly id: string;
}

/** A change as one socket saw it. */
export interface Seen {
  readonly id: string;
  readonly change: number;
  readonly atMs: number;
}

interface Opening {
  readonly kind: ServerKind;
  readonly port: number;
  readonly holdings: readonly Holding[];
}

const commands = { open, report, close };
export type ClientCommands = typeof commands;

const AT_ONCE = 50;
const QUERY = 'subscription ($id: ID) { paymentUpdated(id: $id) { id status merchantOrderId amountReceived } }';
let sockets: WebSocket[] = [];
let seen: Seen[] = [];
let lost: string | null = null;
serve(commands);

/** Resolves when every socket has received its first message. */
async function open({ kind, port, holdings }: Opening): Promise<null> {
  const rest = [...holdings];
  const openNext = async (): Promise<void> => {
    for (let holding = rest.pop(); holding; holding = rest.pop()) sockets.push(await hold(kind, port, holding));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, openNext));
  return null;
}

/** The changes seen since the last report; throws if a socket was closed. */
async function report(): Promise<Seen[]> {
  if (lost !== null) throw new Error(lost);
  const noted = seen;
  seen = [];
  return noted;
}

async function close(): Promise<null> {
  const closing = sockets;
  sockets = [];
  await Promise.all(
    closing.map(
      (socket) => new Promise((resolve) => void socket.once('close', resolve).removeAllListeners('error').close()),
    ),
  );
  return null;
}

function hold(kind: ServerKind, port: number, { token, id }: Holding): Promise<WebSocket> {
  const protocols = kind === 'ws' ? [] : ['graphql-transport-ws'];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, protocols, { perMessageDeflate: false });
  const send = (message: unknown) => socket.send(JSON.stringify(message));
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code) => {
      if (sockets.includes(socket)) lost ??= `A socket was closed with ${code}`;
      reject(new Error(`A socket was closed with ${code}`));
    });
    socket.once('open', () => {
      if (kind === 'ws') socket.send('hello');
      else send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    });
    const listen = (data: Buffer) => {
      if (kind === 'ws') return resolve(socket);
      const { type, payload } = JSON.parse(String(data)) as Message;
      if (type === 'connection_ack') {
        const query = kind === 'gateway' ? QUERY : 'subscription { state }';
        send({ type: 'subscribe', id: '1', payload: { query, variables: kind === 'gateway' ? { id } : {} } });
      } else if (type === 'next') {
        const change = Number(payload?.data?.paymentUpdated?.merchantOrderId ?? 0);
        if (change > 0) seen.push({ id, change, atMs: nowMs() });
        resolve(socket);
      } else reject(new Error(`Answered ${String(data)}`));
    };
    socket.on('message', listen);
  });
}

interface Message {
  readonly type: string;
  readonly payload?: { data?: { paymentUpdated?: { merchantOrderId: string | null } } };
}
