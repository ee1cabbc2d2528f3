// The webhook receiver of the dispatch bench, in a process of its own. It parses as little of each request as it can,
// so that it is never the bottleneck. It counts deliveries by id and reports when events arrived.

import { createServer, type AddressInfo, type Socket } from 'node:net';

/** What the receiver has seen since the last query. */
export interface Seen {
  readonly requests: number;
  readonly deliveries: number;
  /** Each request to `/seen`: its event, and when it arrived, in milliseconds of the system's monotonic clock. */
  readonly arrivals: readonly (readonly [eventId: string, atMs: number])[];
}

const ANSWER = 'HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{"status":"ok"}';
const LENGTH = /\r\ncontent-length: *(\d+)/i;
const DELIVERY = /\r\nx-pgw-delivery-id: *(\S+)/i;
const EVENT = /\r\nx-pgw-event-id: *(\S+)/i;

let requests = 0;
let deliveries = new Set<string>();
let arrivals: [string, number][] = [];

/** Monotonic milliseconds, shared by all processes on a machine. */
export function monotonicMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Handles the complete requests at the start of the received text; returns the rest. */
function readRequests(socket: Socket, text: string): string {
  for (;;) {
    const end = text.indexOf('\r\n\r\n');
    if (end === -1) return text;
    const head = text.slice(0, end);
    const size = end + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
    if (text.length < size) return text;
    handle(socket, head);
    text = text.slice(size);
  }
}

function handle(socket: Socket, head: string): void {
  if (head.startsWith('POST /never')) return;
  requests += 1;
  deliveries.add(DELIVERY.exec(head)?.[1] ?? '?');
  if (head.startsWith('POST /seen')) arrivals.push([EVENT.exec(head)?.[1] ?? '?', monotonicMs()]);
  socket.write(ANSWER);
}

function serve(): void {
  const server = createServer({ noDelay: true }, (socket) => {
    // One byte per character, so that string lengths are byte lengths.
    socket.setEncoding('latin1');
    let rest = '';
    socket.on('data', (chunk: string) => (rest = readRequests(socket, rest + chunk)));
    socket.on('error', () => undefined);
  });
  server.listen(0, '127.0.0.1', () => process.send?.({ port: (server.address() as AddressInfo).port }));
  process.on('message', () => {
    process.send?.({ requests, deliveries: deliveries.size, arrivals } satisfies Seen);
    [requests, deliveries, arrivals] = [0, new Set(), []];
  });
  process.on('disconnect', () => process.exit());
  process.on('SIGINT', () => undefined); // The parent stops us after its cleanup.
}

// Other modules import this one for its types and its clock.
if (process.argv[1] === import.meta.filename) serve();
