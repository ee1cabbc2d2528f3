// A certificate whose files are replaced while the server runs.

import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import type { Worker } from '../../src/loop.ts';
import { openCertificate, type Certificate } from '../../src/server/certificate.ts';
import { createHttpServer } from '../../src/server/http-server.ts';
import { listenTogether, type Listeners } from '../../src/server/listen.ts';
import { makeTestFolder } from '../support/database/database.ts';
import {
  EXPIRED_CERTIFICATE,
  LOCALHOST_CERTIFICATE,
  LOCALHOST_KEY,
  RECEIVER_CERTIFICATE,
  RECEIVER_KEY,
} from '../support/tls.ts';

let folder: string;
let files: { readonly certPath: string; readonly keyPath: string };
let certificate: Certificate;
let server: FastifyInstance;
let listeners: Listeners;
let worker: Worker;
const open: TLSSocket[] = [];

beforeAll(async () => {
  folder = await makeTestFolder('certificate');
  files = { certPath: join(folder, 'cert.pem'), keyPath: join(folder, 'key.pem') };
  await write(RECEIVER_CERTIFICATE, RECEIVER_KEY);
  const log = pino({ level: 'silent' });
  certificate = openCertificate(files, log);
  const options = { log, trustProxy: [], httpsOnly: true, onAnswered: () => undefined };
  server = createHttpServer({ ...options, tls: certificate.pair() });
  server.get('/', () => Promise.resolve('here'));
  worker = certificate.follow(server.server);
  listeners = await listenTogether(server, { host: '127.0.0.1', port: 0 });
});
afterAll(async () => {
  for (const socket of open) socket.destroy();
  await server.close();
  await listeners.close();
  await rm(folder, { recursive: true, force: true });
});

async function write(cert: string, key: string): Promise<void> {
  await writeFile(files.certPath, cert);
  await writeFile(files.keyPath, key);
}

/** A new connection, over which nothing has been asked yet. */
async function connected(): Promise<TLSSocket> {
  const { port } = server.server.address() as AddressInfo;
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
  open.push(socket);
  await once(socket, 'secureConnect');
  return socket;
}

/** Whom the certificate is for that most of several connections meet; all listening sockets serve the same. */
async function served(): Promise<string[]> {
  const sockets = await Promise.all(Array.from({ length: 40 }, connected));
  return [...new Set(sockets.map((socket) => String(socket.getPeerCertificate().subject.CN)))];
}

async function ask(socket: TLSSocket): Promise<string> {
  socket.write('GET / HTTP/1.1\r\nHost: receiver.test\r\n\r\n');
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return String(answer);
}

it('new connections meet the new certificate, and open ones go on', async () => {
  expect(await served()).toEqual(['receiver.test']);
  const before = await connected();
  await worker.processNext();
  expect(await served()).toEqual(['receiver.test']);
  await write(LOCALHOST_CERTIFICATE, LOCALHOST_KEY);
  await worker.processNext();
  expect(await served()).toEqual(['localhost']);
  expect(await ask(before)).toMatch(/^HTTP\/1\.1 200 /);
});

it('files that do not fit together are refused, and what was served is served on', async () => {
  await writeFile(files.certPath, RECEIVER_CERTIFICATE);
  await expect(worker.processNext()).rejects.toThrow('do not fit together');
  expect(await served()).toEqual(['localhost']);
  await rm(files.keyPath);
  await expect(worker.processNext()).rejects.toThrow('ENOENT');
  expect(await served()).toEqual(['localhost']);
  await writeFile(files.keyPath, RECEIVER_KEY);
  await worker.processNext();
  expect(await served()).toEqual(['receiver.test']);
});

it('the end is that of the certificate that is served', async () => {
  expect(certificate.end().getUTCFullYear()).toBe(2126);
  await write(EXPIRED_CERTIFICATE, RECEIVER_KEY);
  await worker.processNext();
  expect(certificate.end().getUTCFullYear()).toBe(2021);
});
