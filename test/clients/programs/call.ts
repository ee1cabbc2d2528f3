// What the programs have in common: where the gateway is and whose key is used, from the environment, and assertions.

import { strict as assert } from 'node:assert';

const said = (name: string): string => process.env[name] ?? assert.fail(`${name} is not set`);

export const BASE = said('BASE');
export const KEY = { keyId: said('KEY_ID'), secret: said('SECRET') };
export const GRAPHQL = `${BASE}/graphql`;

/** A bearer that was good once, as far as a client can know. */
export const FORMER_TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJleHAiOjF9.c2lnbmF0dXJl';

export { assert };
