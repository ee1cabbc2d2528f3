// The secrets of links in mails: `<id>.<HMAC>`, computed when a mail is rendered and stored nowhere, so that a copy of
// the database opens nothing (contract-people-payouts, section A).

import { keyedDigest } from './keyed-digest.ts';
import { sameDigest } from './keys.ts';

/** The secret of a link. */
export function linkSecret(key: Uint8Array, id: string): string {
  return `${id}.${keyedDigest(key, id).toString('base64url')}`;
}

/** The six digits that a mail tells in place of a link, made from an id likewise. */
export function mailCode(key: Uint8Array, id: string): string {
  // Prefixed, so that a code tells nothing of the secret of a link with the same id.
  return String(keyedDigest(key, `code ${id}`).readUInt32BE(0) % 1_000_000).padStart(6, '0');
}

/** The id of a link's secret; null for any that is not ours. */
export function readLinkSecret(key: Uint8Array, secret: string): string | null {
  const [id = '', digest = '', ...more] = secret.split('.');
  if (more.length > 0 || secret.length > 200) return null;
  const [ours, theirs] = [keyedDigest(key, id), Buffer.from(digest, 'base64url')];
  return sameDigest(ours, theirs) && theirs.toString('base64url') === digest ? id : null;
}
