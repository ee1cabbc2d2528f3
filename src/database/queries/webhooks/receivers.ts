// Where webhooks go: the endpoints in use, and the URLs that deliveries are waiting to be sent to again.

import { query, type EntityManager } from '../../connection.ts';

export interface WaitingUrl {
  readonly url: string;
  /** Deliveries that failed and will be tried again. */
  readonly deliveries: number;
}

/** The URLs of enabled endpoints, the last changed first. */
export async function readEndpointUrls(em: EntityManager, most: number): Promise<string[]> {
  const rows = await query<{ url: string }>(
    em,
    'select url from webhook_endpoint where enabled and deleted_at is null order by updated_at desc, id desc limit $1',
    [most],
  );
  return rows.map(({ url }) => url);
}

/** Only rows that are due are read, so that this does not grow with history. */
export async function readWaitingUrls(em: EntityManager, most: number): Promise<WaitingUrl[]> {
  return query<WaitingUrl>(
    em,
    `select url, count(*)::int as deliveries from webhook_delivery
     where due_at is not null and status = 'RETRYING' group by url order by 2 desc, url limit $1`,
    [most],
  );
}
