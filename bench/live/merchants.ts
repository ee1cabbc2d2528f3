// Merchants and payments for the live bench: as many merchants as the sockets need, and one payment for each socket.

import pg from 'pg';
import { newId } from '../../src/values/id.ts';
import type { Holding } from './client.ts';

interface Shops {
  readonly port: number;
  readonly databaseUrl: string;
  /** The number of payments, and of the sockets to open. */
  readonly count: number;
}

/** One merchant may have 1,000 connections in a process, and those of the warm-up may not all be closed yet. */
const SOCKETS_EACH = 500;

/** Creates the merchants and payments; the payments by SQL, which is faster and makes no difference to live updates. */
export async function openMerchants({ port, databaseUrl, count }: Shops): Promise<Holding[]> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await client.query('create temporary sequence bench_index');
    await client.query(`select setval('bench_index', $1)`, [Date.now()]);
    const holdings: Holding[] = [];
    while (holdings.length < count) {
      const { merchantId, token } = await openShop(port);
      const ids = Array.from({ length: Math.min(SOCKETS_EACH, count - holdings.length) }, () => newId('ord'));
      await insertPayments(client, merchantId, ids);
      holdings.push(...ids.map((id) => ({ token, id })));
    }
    return holdings;
  } finally {
    await client.end();
  }
}

async function openShop(port: number): Promise<{ merchantId: string; token: string }> {
  const post = async <Data>(path: string, body: object): Promise<Data> => {
    const headers = { 'Content-Type': 'application/json' };
    const url = `http://127.0.0.1:${port}/api/v1${path}`;
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    const answer = (await response.json()) as { success: boolean; data: Data };
    if (!answer.success) throw new Error(`${path} answered ${JSON.stringify(answer)}`);
    return answer.data;
  };
  const { merchant, apiKey } = await post<{ merchant: { id: string }; apiKey: { keyId: string; key: string } }>(
    '/merchant',
    { email: `${newId('mer')}@example.com`.toLowerCase(), companyName: 'Bench' },
  );
  const { accessToken } = await post<{ accessToken: string }>('/auth/token', {
    keyId: apiKey.keyId,
    secret: apiKey.key,
  });
  return { merchantId: merchant.id, token: accessToken };
}

const insertPayments = (client: pg.Client, merchantId: string, ids: readonly string[]) =>
  client.query(
    `insert into payment (id, merchant_id, currency, network, amount, address, address_key, derivation_account,
       derivation_index, status, version, tolerance_basis_points, late_payment_policy, required_confirmations,
       expires_at, created_at, updated_at)
     select id, $1, 'USDT', 'ETH', 100000000, address, address, 'bench', nextval('pg_temp.bench_index'), 'PENDING', 1,
       0, 'ACCEPT', 2, now() + interval '1 day', now(), now()
     from unnest($2::text[]) as id, lateral (select '0x' || left(md5(id) || md5(id), 40) as address) a`,
    [merchantId, ids],
  );
