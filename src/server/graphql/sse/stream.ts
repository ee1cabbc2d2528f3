// One answer as Server-Sent Events: written no faster than it is read, and ended with a reason.

import type { FastifyReply } from 'fastify';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { print } from 'graphql-sse';
import type { GatewayError } from '../../../values/errors.ts';
import type { Holding } from '../../admission/shared-memory.ts';
import type { Session } from '../connections/sessions.ts';
import { isOver, onCallEnd } from '../../admission/call-end.ts';

/** How long an ended stream may take to send its reason. */
const CLOSE_PATIENCE_MS = 2_000;

export interface EventStream {
  /** Null without a token. */
  session: Session | null;
  /** Resolves when the previous update has been taken, and reserves the place of the next one. */
  turn(): Promise<void>;
  /** Ends the stream with an error, in any state; the first reason counts. */
  end(reason: GatewayError): void;
  ended(): GatewayError | null;
  /** Writes the head and then what comes, until either side ends; never rejects. */
  send(body: AsyncGenerator<string, void, undefined>): Promise<void>;
  /** Drops a stream whose reader has taken nothing since the last call, although something waited for them. */
  dropIfStuck(): void;
}

interface StreamParts {
  readonly reply: FastifyReply;
  /** The shared memory held by text that waits for the reader. */
  readonly holding: Holding;
  readonly formatError: (error: GraphQLError, requestId: string) => GraphQLFormattedError;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
  // Disables the buffering of proxies such as nginx.
  'x-accel-buffering': 'no',
};

/** Makes the stream of a reply. */
export function createEventStream({ reply, holding, formatError }: StreamParts): EventStream {
  const gate = createGate();
  const writer = createWriter(reply, holding);
  let reason: GatewayError | null = null;
  let interrupt: (error: GatewayError) => void = () => undefined;
  onCallEnd(reply, gate.open);

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
      const timer = setTimeout(() => cut(reply), CLOSE_PATIENCE_MS).unref();
      onCallEnd(reply, () => clearTimeout(timer));
    },
    async send(body) {
      interrupt = (error) => void body.throw(error).catch(() => undefined);
      const stop = () => void body.return().catch(() => undefined);
      onCallEnd(reply, stop);
      writer.begin();
      const failure = await pump(body).catch((error: unknown) => error);
      const ending = reason ?? failure;
      if (ending !== undefined) await tell(ending);
      stop();
      await writer.end();
    },
  };
}

/** Closes the connection: an answer that waits behind another one on it cannot be ended otherwise. */
const cut = ({ request }: FastifyReply) => void request.raw.socket.destroy();

/** Lets callers pass one at a time: each waits until `open` is called after the one before. */
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

function createWriter(reply: FastifyReply, holding: Holding) {
  const response = reply.raw;
  let written = 0;
  let seen = -1;
  let isWaiting = false;
  let onClose: () => void = () => undefined;
  onCallEnd(reply, () => onClose());
  onCallEnd(reply, holding.release);
  return {
    /** Makes the reply's answer a stream. */
    begin(): void {
      reply.hijack();
      response.writeHead(200, { ...(reply.getHeaders() as Record<string, string>), ...HEADERS });
    },
    /** Resolves when the connection is done with the answer, or gone. */
    async end(): Promise<void> {
      if (isOver(reply)) return;
      const closed = new Promise<void>((resolve) => onCallEnd(reply, resolve));
      response.end();
      await closed;
    },
    /** Resolves to true when the system has taken the text, to false if the connection is gone. */
    async write(text: string): Promise<boolean> {
      const bytes = Buffer.byteLength(text);
      if (isOver(reply) || response.writableEnded || !holding.grow(bytes)) return false;
      isWaiting = true;
      const isTaken = await new Promise<boolean>((resolve) => {
        onClose = () => resolve(false);
        response.write(text, (error) => resolve(!error));
      });
      isWaiting = false;
      holding.shrink(bytes);
      written += 1;
      return isTaken;
    },
    dropIfStuck(): void {
      if (isWaiting && seen === written) cut(reply);
      seen = isWaiting ? written : -1;
    },
  };
}
