// Sends webhooks for the other systems in the bench: signed like the gateway's, by undici's `request` or `dispatch`.

import { Agent, request } from 'undici';
import { signatureHeaders } from '../../src/domain/webhooks/signature.ts';

/** One delivery to send. */
export interface Job {
  readonly deliveryId: string;
  readonly eventId: string;
  readonly url: string;
  readonly body: string;
}

/** A sender with at most `connections` sockets. It signs like the gateway, and throws on any status but 200. */
export function createWebhookSender(connections: number) {
  const agent = new Agent({ connections, pipelining: 1, allowH2: false });
  return {
    close: () => agent.close(),
    async post({ deliveryId, eventId, url, body }: Job, secret: string): Promise<void> {
      const timestampSeconds = Math.floor(Date.now() / 1_000);
      const headers = signatureHeaders({ eventId, deliveryId, attempt: 1, timestampSeconds, body, secrets: [secret] });
      const response = await request(url, { dispatcher: agent, method: 'POST', headers, body });
      await response.body.dump();
      if (response.statusCode !== 200) throw new Error(`answered ${response.statusCode}`);
    },
    /** The same with `dispatch`, undici's fastest API. */
    dispatch({ deliveryId, eventId, url, body }: Job, secret: string): Promise<void> {
      const timestampSeconds = Math.floor(Date.now() / 1_000);
      const headers = signatureHeaders({ eventId, deliveryId, attempt: 1, timestampSeconds, body, secrets: [secret] });
      const { origin, pathname } = new URL(url);
      return new Promise((resolve, reject) => {
        let status = 0;
        agent.dispatch(
          { origin, path: pathname, method: 'POST', headers, body },
          {
            onRequestStart: () => undefined,
            onResponseStart: (_controller, code) => void (status = code),
            onResponseData: () => undefined,
            onResponseEnd: () => (status === 200 ? resolve() : reject(new Error(`answered ${status}`))),
            onResponseError: (_controller, error) => reject(error),
          },
        );
      });
    },
  };
}
