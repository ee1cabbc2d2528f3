// The migrations in order. A migration that was released is never changed; a later one is added.

import { FirstMigration } from './20261121-first.ts';
import { PayoutsMigration } from './20261121-payouts.ts';

export const MIGRATIONS = [
  { name: '20261121-first', class: FirstMigration },
  { name: '20261121-payouts', class: PayoutsMigration },
];
