// The tokens of links that end mails to a customer: they name a merchant and, as a keyed digest, an address. They are
// computed when a mail is rendered and stored nowhere, have no end, and tell nobody the address.

import { keyedDigest } from './keyed-digest.ts';
import { sameDigest, type Secrets } from './keys.ts';

/** The keys of tokens, and of what stands for an address. */
export type UnsubscribeKeys = Pick<Secrets, 'customerKey' | 'linkKey'>;

/** A merchant, and the 32 bytes that stand for an address there. */
export interface Unsubscription {
  readonly merchantId: string;
  readonly digest: Buffer;
}

/** What stands for an address at a merchant, in any case; prefixed, so that it is not the digest of an erasure. */
export function unsubscriptionOf(
  { customerKey }: Pick<UnsubscribeKeys, 'customerKey'>,
  merchantId: string,
  email: string,
): Unsubscription {
  return { merchantId, digest: keyedDigest(customerKey, `mails ${merchantId} ${email.toLowerCase()}`) };
}

/** The token of a link: the merchant's id, the digest and the proof that it is ours, in about 125 characters. */
export function unsubscribeToken(keys: UnsubscribeKeys, merchantId: string, email: string): string {
  const named = `${merchantId}.${unsubscriptionOf(keys, merchantId, email).digest.toString('base64url')}`;
  return `${named}.${proofOf(keys, named).toString('base64url')}`;
}

/** Reads a token; null for any that is not ours. */
export function readUnsubscribeToken(keys: Pick<UnsubscribeKeys, 'linkKey'>, token: string): Unsubscription | null {
  if (token.length > 300) return null;
  const [merchantId = '', digest = '', proof = '', ...more] = token.split('.');
  if (more.length > 0) return null;
  const theirs = Buffer.from(proof, 'base64url');
  const isOurs = sameDigest(proofOf(keys, `${merchantId}.${digest}`), theirs);
  if (!isOurs || theirs.toString('base64url') !== proof) return null;
  return { merchantId, digest: Buffer.from(digest, 'base64url') };
}

const proofOf = ({ linkKey }: Pick<UnsubscribeKeys, 'linkKey'>, named: string): Buffer =>
  keyedDigest(linkKey, `unsubscribe ${named}`);
