// The program of a gateway that test files borrow one after another. Its parent forks it, and ends it by disconnecting.

import { randomBytes } from 'node:crypto';
import { accountXpub, COIN_TYPES } from '../../../src/custody/keys/account-keys.ts';
import { createTestDatabase } from '../database/database.ts';
import { startTestGateway, type TestGateway } from './gateway.ts';

/** What a borrower asks for. */
export interface GatewayWish {
  /** Variables that replace those of a test gateway. */
  readonly variables: Readonly<Record<string, string>>;
  /** Without a signer: payouts stay as they were requested, and no blocks come from other sources. */
  readonly unsigned: boolean;
}

/** What the borrower gets: the gateway, or why there is none. */
export type Opened = { readonly url: string; readonly databaseUrl: string } | { readonly failure: string };

const wish = JSON.parse(process.argv[2] ?? '') as GatewayWish;
const gateway = start();
process.on('disconnect', () => void gateway.then((one) => one.stop()).finally(() => process.exit()));
process.on('SIGINT', () => undefined); // The parent ends us when it has cleaned up.
process.send?.(
  await gateway.then(
    ({ url, config }): Opened => ({ url, databaseUrl: config.databaseUrl ?? '' }),
    (error: unknown): Opened => ({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  ),
);

async function start(): Promise<TestGateway> {
  if (!wish.unsigned) return startTestGateway(wish.variables);
  const { xpub } = accountXpub(randomBytes(64), COIN_TYPES.evm);
  const database = await createTestDatabase();
  await database.sql('insert into derivation_account (account, xpub) values ($1, $2)', ['evm', xpub]);
  const fixed = { ROLES: 'api,observer,dispatcher', DATABASE_URL: database.url };
  const one = await startTestGateway({ ...wish.variables, ...fixed });
  return { ...one, stop: () => one.stop().finally(() => database.drop()) };
}
