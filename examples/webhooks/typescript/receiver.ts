// A receiver of Turnpike's webhooks on nothing but Node. Run: PORT=8081 WEBHOOK_SECRET=whsec_… npx node receiver.ts

import { createServer, type IncomingMessage } from 'node:http';
// In a project of your own: from '@turnpike/sdk/webhooks'.
import {
  handleWebhook,
  SeenInMemory,
  WebhookVerificationError,
  type TurnpikeEvent,
} from '../../../sdk/typescript/src/webhooks/index.ts';

const MAX_BODY_BYTES = 1_048_576;
const port = Number(process.env['PORT'] ?? 8081);
/** Two, separated by a comma, while you change from one to the other. */
const secrets = (process.env['WEBHOOK_SECRET'] ?? '').split(',').filter((secret) => secret !== '');
if (secrets.length === 0) throw new Error('WEBHOOK_SECRET is not set');

/** In a shop this is a unique column, written in the transaction that acts on the event. */
const seen = new SeenInMemory();

function act(event: TurnpikeEvent): void {
  console.log([event.id, event.type, ...subjectOf(event)].join(' '));
}

/** The order or the invoice that an event is about; a test event is about none. */
function subjectOf({ data }: TurnpikeEvent): string[] {
  if ('payment' in data) return [data.payment.orderId];
  return 'invoice' in data ? [data.invoice.invoiceId] : [];
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error('the body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The status to answer. Anything but a 2xx is tried again by the gateway, so a fault of ours may well answer 500. */
async function receive(request: IncomingMessage): Promise<number> {
  const rawBody = await readBody(request);
  try {
    const signature = request.headers['x-pgw-signature'];
    const outcome = await handleWebhook({ rawBody, signature, secrets }, seen, act);
    return outcome === 'busy' ? 503 : 200;
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    console.error(`refused: ${error.message}`);
    return 400;
  }
}

const server = createServer((request, response) => {
  receive(request).then(
    (status) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(status === 200 ? '{"status":"ok"}' : '{"status":"refused"}');
    },
    (error: unknown) => {
      console.error(error);
      response.destroy();
    },
  );
});
server.listen(port, '127.0.0.1', () => {
  console.error(`listening on 127.0.0.1:${port}`);
});
