// A receiver of webhooks for the sandbox: a newcomer sees a first webhook arrive before they have written a receiver of
// their own. It checks signatures with what merchants are given for it, keeps the newest few in memory, and acts on
// none.

import type { FastifyInstance } from 'fastify';
import { verifyWebhook, WebhookVerificationError } from '../../../sdk/typescript/src/webhooks/index.ts';
import { ownCopy } from '../../values/formats/text.ts';
import { isId } from '../../values/id.ts';
import type { createIdentify } from '../admission/authenticate.ts';

/** A webhook as it arrived. */
export interface ReceivedWebhook {
  readonly receivedAt: Date;
  /** Whether its signature is the merchant's; anybody may post here. */
  readonly isGenuine: boolean;
  /** What is wrong with it, in words; null where it is genuine. */
  readonly problem: string | null;
  /** Of the event, where the webhook is genuine. */
  readonly eventId: string | null;
  readonly type: string | null;
  readonly signature: string | null;
  readonly body: string;
}

export interface WebhookReceiver {
  /** Where a merchant's webhooks are received. */
  urlOf(merchantId: string): string;
  /** What arrived there, newest first. */
  receivedBy(merchantId: string): readonly ReceivedWebhook[];
}

interface ReceiverParts {
  readonly identify: ReturnType<typeof createIdentify>;
  readonly clock: { now(): Date };
  readonly baseUrl: string;
  /** The secret that signs a merchant's webhooks; null where there is no such merchant. */
  readonly readSecret: (merchantId: string) => Promise<string | null>;
}

const PATH = '/sandbox/receiver';
const KEPT_EACH = 20;
const MERCHANTS = 200;
const MAX_BODY_BYTES = 65_536;
/** What is kept of a body that anybody may have sent, in characters. */
const KEPT_OF_STRANGERS = 1_024;

/**
 * Makes the receiver and the function that registers it. A genuine webhook is answered with 204, any other with 400.
 */
export function createWebhookReceiver(parts: Omit<ReceiverParts, 'identify'>) {
  const { clock, baseUrl, readSecret } = parts;
  // In order of the last arrival: the merchant without arrivals for the longest time is forgotten first.
  const received = new Map<string, readonly ReceivedWebhook[]>();
  const keep = (merchantId: string, webhook: ReceivedWebhook) => {
    const newest = [webhook, ...(received.get(merchantId) ?? [])].slice(0, KEPT_EACH);
    received.delete(merchantId);
    received.set(merchantId, newest);
    const [oldest] = received.keys();
    if (received.size > MERCHANTS && oldest !== undefined) received.delete(oldest);
  };
  const receiver: WebhookReceiver = {
    urlOf: (merchantId) => `${baseUrl}${PATH}/${merchantId}`,
    receivedBy: (merchantId) => received.get(merchantId) ?? [],
  };
  return {
    receiver,
    register(server: FastifyInstance, { identify }: Pick<ReceiverParts, 'identify'>): void {
      void server.register((scope, _options, done) => {
        // The signature is over the bytes as they came.
        scope.removeAllContentTypeParsers();
        scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: MAX_BODY_BYTES }, (_request, body, parsed) => {
          parsed(null, body);
        });
        scope.post(`${PATH}/:merchantId`, async (request, reply) => {
          await identify(request, reply, { acceptSecret: false, isPublic: true });
          const { merchantId } = request.params as { merchantId: string };
          const secret = isId('mer', merchantId) ? await readSecret(merchantId) : null;
          if (secret === null) return reply.code(404).send();
          const { 'x-pgw-signature': signature } = request.headers;
          const rawBody = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
          const now = clock.now();
          const webhook = await readWebhook({ rawBody, signature: signature?.toString() ?? null, secret, now });
          keep(merchantId, webhook);
          return reply.code(webhook.isGenuine ? 204 : 400).send();
        });
        done();
      });
    },
  };
}

interface Arrival {
  readonly rawBody: Buffer;
  readonly signature: string | null;
  readonly secret: string;
  readonly now: Date;
}

async function readWebhook({ rawBody, signature, secret, now }: Arrival): Promise<ReceivedWebhook> {
  const seen = { receivedAt: now, signature, body: rawBody.toString('utf8') };
  try {
    const { id, type } = await verifyWebhook({ rawBody, signature, secrets: [secret], now });
    return { ...seen, isGenuine: true, problem: null, eventId: id, type };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    const body = ownCopy(seen.body.slice(0, KEPT_OF_STRANGERS));
    return { ...seen, body, isGenuine: false, problem: error.message, eventId: null, type: null };
  }
}
