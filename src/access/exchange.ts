// Exchanges a key id and secret for a token (specification, section 5), with the same answer to every wrong pair.

import { query } from '../database/connection.ts';
import type { Clock } from '../database/clock.ts';
import type { EntityManager } from '../database/connection.ts';
import { cellOfKey, refuseForeign } from '../values/cells/bearer-cell.ts';
import { GatewayError } from '../values/errors.ts';
import { matchesAny, parseIpRange } from '../values/internet/ip-range.ts';
import { inOrder } from '../values/permission.ts';
import {
  digestSecret,
  isOfOtherEnvironment,
  sameDigest,
  type Environment,
  type Secrets,
} from '../values/secrets/keys.ts';
import { issueToken, type IssuedToken } from './tokens.ts';

interface ExchangeDeps {
  em: EntityManager;
  clock: Clock;
  secrets: Secrets;
  environment: Environment;
  ttlSeconds: number;
}

interface KeyRow {
  merchantId: string;
  digest: Buffer;
  permissions: string[];
  ranges: string[];
  revoked: boolean;
}

const FIND = `select merchant_id as "merchantId", secret_digest as digest, permissions, ip_whitelist as ranges,
  revoked_at is not null as revoked from api_key where key_id = $1`;

/** Issues a token for a key pair. Throws 1007, 9421, 1005, 1006, 1003, checked in this order. */
export async function exchangeKey(
  deps: ExchangeDeps,
  { keyId, secret }: { keyId: string; secret: string },
  ip: string,
): Promise<IssuedToken> {
  if (isOfOtherEnvironment(keyId, deps.environment) || isOfOtherEnvironment(secret, deps.environment))
    throw new GatewayError('OTHER_ENVIRONMENT');
  refuseForeign(cellOfKey(keyId) ?? cellOfKey(secret));
  // PostgreSQL cannot even compare a text with NUL, and no key id contains one.
  const rows = keyId.includes('\0') ? [] : await query<KeyRow>(deps.em, FIND, [keyId]);
  const key = rows[0];
  // An unknown key id costs the same digest and comparison as a wrong secret.
  const digest = digestSecret(deps.secrets, secret);
  const same = sameDigest(digest, key?.digest ?? Buffer.alloc(digest.length));
  if (!key || !same) throw new GatewayError('WRONG_CREDENTIALS');
  if (key.revoked) throw new GatewayError('KEY_REVOKED');
  const ranges = key.ranges.map((text) => parseIpRange(text)).filter((range) => range !== null);
  if (ranges.length > 0 && !matchesAny(ip, ranges)) throw new GatewayError('ADDRESS_NOT_ALLOWED');
  return issueToken(
    deps,
    { merchantId: key.merchantId, keyId, sessionId: null, permissions: inOrder(key.permissions) },
    deps.clock.now(),
  );
}
