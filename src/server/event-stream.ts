// One answer as Server-Sent Events: written no faster than it is read, and ended with its reason.

import type { FastifyReply } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { print } from 'graphql-sse';
import type { ServerResponse } from 'node:http';
import type { GatewayError } from '../values/errors.ts';
import type { Session } from './socket-sessions.ts';

/** How long a stream that has been ended may take to tell its reader so. */
const CLOSE_PATIENCE_MS = 2_000;

export interface EventStream {
  /** Null without a token. */
  session: Session | null;
  /** Resolves when the update before has been taken off our hands, and takes the place of the next one. */
  turn(): Promise<void>;
  /** Ends the stream with an error, whatever it is at; the first reason counts. */
  end(reason: GatewayError): void;
  ended(): GatewayError | null;
  /** Writes the head and then what comes, until either side ends; never rejects. */
  send(body: AsyncGenerator<string, void, undefined>): Promise<void>;
  /** Drops a stream whose reader has taken nothing since the last call, although something waited for him. */
  dropIfStuck(): void;
}

interface StreamParts {
  readonly reply: FastifyReply;
  readonly formatError: (error: GraphQLError, requestId: string) => GraphQLFormattedError;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // For nginx and those like it: an update that waits in a buffer is none.
  'x-accel-buffering': 'no',
};

/** Makes the stream that a reply becomes. */
export function createEventStream({ reply, formatError }: StreamParts): EventStream {
  const response = reply.raw;
  const gate = createGate();
  const writer = createWriter(response);
  let reason: GatewayError | null = null;
  let interrupt: (error: GatewayError) => void = () => undefined;
  response.once('close', gate.open);

  async function pump(body: AsyncGenerator<string, void, undefined>): Promise<void> {
    for await (const text of body) {
      if (reason !== null || !(await writer.write(text))) break;
      if (text.startsWith('event: next')) gate.open();
    }
  }

  async function tell(error: unknown): Promise<void> {
    const originalError = error instanceof Error ? error : new Error(String(error));
    const shown = formatError(new GraphQLError('', { originalError }), reply.request.id);
    await writer.write(print({ event: 'next', data: { errors: [shown as GraphQLError] } }));
    await writer.write(print({ event: 'complete', data: null }));
  }

  return {
    session: null,
    turn: gate.pass,
    ended: () => reason,
    dropIfStuck: writer.dropIfStuck,
    end(because) {
      if (reason !== null) return;
      reason = because;
      interrupt(because);
      gate.open();
      const timer = setTimeout(() => response.destroy(), CLOSE_PATIENCE_MS).unref();
      response.once('close', () => clearTimeout(timer));
    },
    async send(body) {
      interrupt = (error) => void body.throw(error).catch(() => undefined);
      const stop = () => void body.return().catch(() => undefined);
      response.once('close', stop);
      if (response.destroyed) stop();
      writer.begin(reply);
      const failure = await pump(body).catch((error: unknown) => error);
      const ending = reason ?? failure;
      if (ending !== undefined) await tell(ending);
      stop();
      await writer.end();
    },
  };
}

/** Lets one at a time pass: each waits until `open` is called after the one before. */
function createGate() {
  let passed: Promise<void> | null = null;
  let release: () => void = () => undefined;
  return {
    open: () => release(),
    async pass(): Promise<void> {
      await passed;
      passed = new Promise((resolve) => (release = resolve));
    },
  };
}

function createWriter(response: ServerResponse) {
  let written = 0;
  let seen = -1;
  let isWaiting = false;
  let onClose: () => void = () => undefined;
  response.once('close', () => onClose());
  return {
    /** Makes the reply's answer a stream. */
    begin(reply: FastifyReply): void {
      reply.hijack();
      response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    },
    /** Resolves when the connection is done with the answer, or gone. */
    async end(): Promise<void> {
      if (response.destroyed) return;
      const closed = new Promise((resolve) => response.once('close', resolve));
      response.end();
      await closed;
    },
    /** Resolves when the system has taken the text; false when there is nobody to take it. */
    async write(text: string): Promise<boolean> {
      if (response.destroyed || response.writableEnded) return false;
      isWaiting = true;
      const isTaken = await new Promise<boolean>((resolve) => {
        onClose = () => resolve(false);
        response.write(text, (error) => resolve(!error));
      });
      isWaiting = false;
      written += 1;
      return isTaken;
    },
    dropIfStuck(): void {
      if (isWaiting && seen === written) response.destroy();
      seen = isWaiting ? written : -1;
    },
  };
}
