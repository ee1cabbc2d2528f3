// The schema as of the first release: every table of the gateway, by topic, each on those before it.
//
// Text that is compared or ordered by identifier has the "C" collation: bytes, not language. Amounts are base units.

import { Migration } from '@mikro-orm/migrations';
import { ACCOUNTS } from './initial-schema/accounts.ts';
import { CHAIN } from './initial-schema/chain.ts';
import { SUSPENSE } from './initial-schema/suspense.ts';
import { EVENTS } from './initial-schema/events.ts';
import { LEDGER } from './initial-schema/ledger.ts';
import { OPERATION } from './initial-schema/operation.ts';
import { PAYMENTS } from './initial-schema/payments.ts';
import { PAYOUTS } from './initial-schema/payouts.ts';
import { SIGNING } from './initial-schema/signing.ts';
import { WEBHOOKS } from './initial-schema/webhooks.ts';

/** It cannot be taken back: the tables hold the book. */
export class InitialSchemaMigration extends Migration {
  override up(): void {
    for (const part of [ACCOUNTS, PAYMENTS, LEDGER, CHAIN, SUSPENSE, PAYOUTS, SIGNING, EVENTS, WEBHOOKS, OPERATION])
      this.addSql(part);
  }
}
