// A mail server for tests: it keeps what it takes, and refuses, keeps silent or hangs up as told.

import type { AddressInfo } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** Headers and body, as they came. */
  readonly source: string;
}

/** What it does with a mail: takes it, refuses it with a code, never answers, or hangs up once it has it. */
export type Manner = 'take' | 'silent' | 'hang up' | number;

export interface MailServer {
  readonly port: number;
  readonly received: ReceivedMail[];
  /** How many mails were begun. */
  begun(): number;
  behave(manner: Manner): void;
  /** Calls once the server has the next mail, before it says so. */
  onceTaken(call: () => Promise<void>): void;
  close(): Promise<void>;
}

const servers: MailServer[] = [];

/** Starts a server at an address of this machine, without TLS unless told otherwise. */
export async function startMailServer(options: SMTPServerOptions = {}, address = '127.0.0.1'): Promise<MailServer> {
  const received: ReceivedMail[] = [];
  let manner: Manner = 'take';
  let begun = 0;
  let taken: () => Promise<void> = () => Promise.resolve();
  const server = new SMTPServer({
    ...{ authOptional: true, disabledCommands: ['STARTTLS'], disableReverseLookup: true, closeTimeout: 100 },
    onRcptTo(_address, _session, done) {
      begun += 1;
      if (typeof manner === 'number') done(Object.assign(new Error('refused'), { responseCode: manner }));
      else if (manner !== 'silent') done();
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope;
        const from = mailFrom === false ? '' : mailFrom.address;
        const source = Buffer.concat(chunks).toString();
        received.push({ from, to: rcptTo.map(({ address }) => address), source });
        if (manner === 'hang up') for (const connection of server.connections) connection.close();
        else void taken().then(() => done());
        taken = () => Promise.resolve();
      });
    },
    ...options,
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  const own: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    received,
    begun: () => begun,
    behave: (next) => void (manner = next),
    onceTaken: (call) => void (taken = call),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
  servers.push(own);
  return own;
}

/** Closes all servers that a test has started. */
export async function closeMailServers(): Promise<void> {
  await Promise.all(servers.splice(0).map((server) => server.close()));
}
