// The migrations in order. A migration that was released is never changed; a later one is added.

import { InitialSchemaMigration } from './20261124-initial-schema.ts';

/** The migration that all others lead on from. */
export const INITIAL_SCHEMA = '20261124-initial-schema';

/** They run in this order, whatever their names. */
export const MIGRATIONS = [{ name: INITIAL_SCHEMA, class: InitialSchemaMigration }];
