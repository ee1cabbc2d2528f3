// Asks a server for a page, and tells what its certificate is worth. No secret is sent, so a bad one ends nothing.

import { request } from 'node:http';
import { request as requestSecurely } from 'node:https';
import { isIP } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { text } from 'node:stream/consumers';

export interface Page {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Null without TLS. */
  readonly certificate: {
    readonly validTo: Date;
    /** Null if it is trusted. */ readonly problem: string | null;
  } | null;
}

const ANSWER_WITHIN_MS = 10_000;

/** Gets a page; follows no redirect. Rejects if there is no answer. */
export function getPage(url: string, withinMs = ANSWER_WITHIN_MS): Promise<Page> {
  return new Promise((resolve, reject) => {
    const { protocol, hostname } = new URL(url);
    const isSecure = protocol === 'https:';
    const options = {
      agent: false,
      signal: AbortSignal.timeout(withinMs),
      headers: { 'user-agent': 'turnpike-doctor', accept: 'application/json, text/plain' },
      ...(isSecure && { rejectUnauthorized: false, ...(isIP(hostname) === 0 && { servername: hostname }) }),
    };
    const outgoing = (isSecure ? requestSecurely : request)(url, options, (incoming) => {
      const certificate = isSecure ? readCertificate(incoming.socket as TLSSocket) : null;
      text(incoming).then(
        (body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body, certificate }),
        reject,
      );
    });
    outgoing.on('error', (error) =>
      reject(error.name === 'AbortError' ? new Error(`no answer within ${String(withinMs / 1_000)} s`) : error),
    );
    outgoing.end();
  });
}

function readCertificate(socket: TLSSocket): Page['certificate'] {
  const { valid_to: validTo } = socket.getPeerCertificate();
  const { authorizationError: problem } = socket;
  return { validTo: new Date(validTo), problem: socket.authorized ? null : String(problem) };
}
