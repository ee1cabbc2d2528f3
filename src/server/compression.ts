// Sends large answers of JSON as gzip to callers who take it: a page of a list shrinks to a tenth.
//
// An attacker who reads the length of an encrypted answer learns about a secret in it only if they can make a browser
// ask with the secret's owner's rights and a text of their own (BREACH). Here they cannot: tokens are sent by programs
// alone, and the console's cookie counts only with a header that no foreign page may set.

import type { FastifyInstance, FastifyReply } from 'fastify';
import { gzip } from 'node:zlib';
import { takesGzip } from './static-files.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Its answer was compressed. */
    isCompressed: boolean;
  }
}

/** Shorter answers fit into one packet as they are. */
const LEAST_CHARACTERS = 1_400;
/** A page of a list in a third of the usual level's time, for a twentieth more bytes. */
const OPTIONS = { level: 3 } as const;

/** Registers it. Before load shedding, so that a call has its place as long as its answer costs us work. */
export function compressAnswers(server: FastifyInstance): void {
  server.decorateRequest('isCompressed', false);
  server.addHook('onSend', (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < LEAST_CHARACTERS || !isJson(reply)) return done(null, payload);
    vary(reply, 'Accept-Encoding');
    if (!takesGzip(request)) return done(null, payload);
    gzip(payload, OPTIONS, (error, compressed) => {
      if (error) return done(null, payload);
      request.isCompressed = true;
      void reply.removeHeader('Content-Length').header('Content-Encoding', 'gzip');
      done(null, compressed);
    });
  });
}

/** Pages and files see to themselves. */
const isJson = (reply: FastifyReply): boolean =>
  /^application\/(?:[\w.-]+\+)?json\b/.test(String(reply.getHeader('content-type') ?? '')) &&
  !reply.hasHeader('content-encoding');

function vary(reply: FastifyReply, header: string): void {
  const before = reply.getHeader('vary');
  void reply.header('Vary', before === undefined ? header : `${String(before)}, ${header}`);
}
