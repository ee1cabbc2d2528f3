// A gateway for a test file that only calls it: one in a process of its own, which other files used before and others
// will use after it, with what they left there. A test of it makes its own merchants and looks at no one else's.

import { send } from '../clients.ts';
import type { BorrowedGateway } from './borrowed.ts';
import { runSql } from '../database/database.ts';
import type { GatewayWish, Opened } from './gateway-process.ts';
import { LENDER_VARIABLE } from './lending.ts';

export type { BorrowedGateway };

/** Borrows a gateway that was started with these variables; nobody else has it until it is given back. */
export const borrowGateway = (variables: Readonly<Record<string, string>> = {}): Promise<BorrowedGateway> =>
  borrow({ variables, unsigned: false });

/** Borrows one that signs nothing: what was asked for stays as it was asked for, and no block comes from elsewhere. */
export const borrowUnsignedGateway = (): Promise<BorrowedGateway> => borrow({ variables: {}, unsigned: true });

async function borrow(wish: GatewayWish): Promise<BorrowedGateway> {
  const lender = process.env[LENDER_VARIABLE];
  if (lender === undefined) throw new Error(`${LENDER_VARIABLE} is not set: the tests run under jest.config.js`);
  // A connection of its own for each: one that was kept may be closed at the other end as it is used again.
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
