// A misbehaving DNS server on loopback, which stands for the name servers of strangers.

import { createSocket, type RemoteInfo } from 'node:dgram';
import { createServer, type AddressInfo } from 'node:net';

/** One answer record; a `cname` renames the records that follow it. */
export type DnsRecord =
  | { readonly a: string }
  | { readonly aaaa: readonly number[] }
  | { readonly cname: string }
  /** Raw data in an address record, of any length. */
  | { readonly type: 'A' | 'AAAA'; readonly data: Uint8Array };

/** The reaction to one question. */
export type DnsReply =
  | readonly DnsRecord[]
  | 'NXDOMAIN'
  | 'SERVFAIL'
  | 'REFUSED'
  /** Never answers. */
  | 'SILENCE'
  /** Bytes that are not a message. */
  | 'RUBBISH'
  /** Answers only over TCP, and says so over UDP. */
  | { readonly overTcp: readonly DnsRecord[] }
  | { readonly afterMs: number; readonly records: readonly DnsRecord[] };

/** The reply to the `nth` question (from 1) for this name and type. */
export type DnsZone = (name: string, type: 'A' | 'AAAA', nth: number) => DnsReply;

export interface DnsServer {
  /** As `dns.Resolver.setServers` takes it. */
  readonly address: string;
  /** `A name` and `AAAA name` in the order of the questions, each once however often it was repeated. */
  readonly questions: readonly string[];
  close(): Promise<void>;
}

const CODES = { NXDOMAIN: 3, SERVFAIL: 2, REFUSED: 5 } as const;
const TYPES = { A: 1, CNAME: 5, AAAA: 28 } as const;

/** Starts a server, over UDP and TCP on one port. Every record has a TTL of 0. */
export async function serveDns(zone: DnsZone): Promise<DnsServer> {
  const questions: string[] = [];
  const timers = new Set<NodeJS.Timeout>();
  const udp = createSocket('udp4');
  /** Keyed by id: a question that is repeated because its answer was slow is the same question. */
  const known = new Map<string, number>();
  const ask = (message: Buffer, send: (bytes: Buffer) => void, isTcp: boolean): void => {
    const question = readQuestion(message);
    const asked = `${question.type} ${question.name}`;
    const key = `${message.readUInt16BE(0)} ${isTcp} ${asked}`;
    if (!known.has(key)) {
      questions.push(asked);
      known.set(key, questions.filter((one) => one === asked).length);
    }
    const reply = zone(question.name, question.type, known.get(key) ?? 0);
    const write = (): void => {
      const bytes = encodeReply(message, question, reply, isTcp);
      if (bytes !== null) send(bytes);
    };
    if (typeof reply === 'object' && 'afterMs' in reply) timers.add(setTimeout(write, reply.afterMs));
    else write();
  };
  udp.on('message', (message, { port, address }: RemoteInfo) => {
    ask(message, (bytes) => udp.send(bytes, port, address), false);
  });
  const tcp = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data: Buffer) => {
      ask(data.subarray(2), (bytes) => void socket.write(Buffer.concat([uint16(bytes.length), bytes])), true);
    });
  });
  await new Promise<void>((resolve) => tcp.listen(0, '127.0.0.1', resolve));
  const { port } = tcp.address() as AddressInfo;
  await new Promise<void>((resolve) => udp.bind(port, '127.0.0.1', resolve));
  const close = async (): Promise<void> => {
    for (const timer of timers) clearTimeout(timer);
    await Promise.all([
      new Promise<void>((resolve) => udp.close(resolve)),
      new Promise((resolve) => tcp.close(resolve)),
    ]);
  };
  return { address: `127.0.0.1:${port}`, questions, close };
}

interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA';
  /** The offset at which the question ends. */
  readonly end: number;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length));
    at += length + 1;
  }
  return { name: labels.join('.'), type: message.readUInt16BE(at + 1) === TYPES.AAAA ? 'AAAA' : 'A', end: at + 5 };
}

function encodeReply(message: Buffer, question: Question, reply: DnsReply, isTcp: boolean): Buffer | null {
  if (reply === 'SILENCE') return null;
  if (reply === 'RUBBISH') return Buffer.from('!'.repeat(40));
  if (typeof reply === 'string') return encode(message, question, [], { code: CODES[reply] });
  if ('overTcp' in reply) return encode(message, question, isTcp ? reply.overTcp : [], { isCut: !isTcp });
  return encode(message, question, 'records' in reply ? reply.records : reply, {});
}

function encode(
  message: Buffer,
  { name, type, end }: Question,
  records: readonly DnsRecord[],
  { code = 0, isCut = false },
): Buffer {
  const header = Buffer.alloc(12);
  message.copy(header, 0, 0, 2); // the id
  header.writeUInt16BE(0x8180 | (isCut ? 0x0200 : 0) | code, 2); // an answer, recursion available
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  let owner = name;
  const answers = records.map((record) => {
    const [kind, data] = dataOf(record, type);
    const head = Buffer.concat([
      encodeName(owner),
      uint16(TYPES[kind]),
      uint16(1),
      Buffer.alloc(4),
      uint16(data.length),
    ]);
    if ('cname' in record) owner = record.cname;
    return Buffer.concat([head, data]);
  });
  return Buffer.concat([header, message.subarray(12, end), ...answers]);
}

function dataOf(record: DnsRecord, type: 'A' | 'AAAA'): [keyof typeof TYPES, Uint8Array] {
  if ('cname' in record) return ['CNAME', encodeName(record.cname)];
  if ('a' in record) return ['A', Buffer.from(record.a.split('.').map(Number))];
  if ('aaaa' in record) return ['AAAA', Buffer.concat(record.aaaa.map(uint16))];
  return [record.type ?? type, record.data];
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const parts = labels.flatMap((label) => [Buffer.from([label.length]), Buffer.from(label, 'latin1')]);
  return Buffer.concat([...parts, Buffer.alloc(1)]);
}

function uint16(value: number): Buffer {
  return Buffer.from([value >> 8, value & 255]);
}
