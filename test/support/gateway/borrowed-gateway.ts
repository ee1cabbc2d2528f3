// Borrows a shared gateway for a test file that only calls it: it runs in a process of its own, and other files use it
// before and after, so it contains their data. A test makes its own merchants and looks only at those.

import { send } from '../clients.ts';
import type { BorrowedGateway } from './borrowed.ts';
import { runSql } from '../database/database.ts';
import type { GatewayWish, Opened } from './gateway-process.ts';
import { LENDER_VARIABLE } from './lending.ts';

export type { BorrowedGateway };

/** Borrows a gateway that was started with these variables; it is exclusive until it is given back. */
export const borrowGateway = (variables: Readonly<Record<string, string>> = {}): Promise<BorrowedGateway> =>
  borrow({ variables, unsigned: false });

/** Borrows one without a signer: payouts stay as they were requested, and no blocks come from other sources. */
export const borrowUnsignedGateway = (): Promise<BorrowedGateway> => borrow({ variables: {}, unsigned: true });

async function borrow(wish: GatewayWish): Promise<BorrowedGateway> {
  const lender = process.env[LENDER_VARIABLE];
  if (lender === undefined) throw new Error(`${LENDER_VARIABLE} is not set: the tests run under jest.config.js`);
  // A new connection for each call: a kept one may be closed at the other end just as it is used again.
  const { text } = await send({ method: 'POST', url: lender, body: JSON.stringify(wish) });
  const opened = JSON.parse(text) as Opened & { readonly pid: number };
  if ('failure' in opened) throw new Error(`The gateway did not start: ${opened.failure}`);
  const { url, databaseUrl, pid } = opened;
  return {
    url,
    sql: <Row>(text: string, parameters: readonly unknown[] = []) => runSql<Row>(databaseUrl, text, parameters),
    stop: async () => void (await send({ method: 'DELETE', url: `${lender}/${String(pid)}` })),
  };
}
