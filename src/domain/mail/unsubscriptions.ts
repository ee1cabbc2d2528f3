// Ends mails to customers by the tokens of their links (RFC 8058). What is kept is a keyed digest, which an erasure
// leaves: people who want no mails get none, even if they were erased and come back.

import { query } from '../../database/connection.ts';
import { insertUnsubscription } from '../../database/queries/mail/customer-mails.ts';
import { readUnsubscribeToken, type UnsubscribeKeys } from '../../values/secrets/unsubscribe-tokens.ts';
import type { Deps } from '../deps.ts';

/** A merchant as their customers know them. */
export interface MailSender {
  readonly companyName: string;
  readonly locale: string | null;
}

interface UnsubscribeDeps extends Pick<Deps, 'db' | 'clock'> {
  readonly secrets: Pick<UnsubscribeKeys, 'linkKey'>;
}

/** Whose mails a token ends; null for one that is not ours. */
export async function readMailSender({ db, secrets }: UnsubscribeDeps, token: string): Promise<MailSender | null> {
  const named = readUnsubscribeToken(secrets, token);
  if (named === null) return null;
  const [sender] = await query<MailSender>(
    db.em,
    'select company_name as "companyName", locale from merchant where id = $1',
    [named.merchantId],
  );
  return sender ?? null;
}

/** Ends the mails of a token's merchant to its address; null for a token that is not ours. Repeats change nothing. */
export async function endMailsTo(deps: UnsubscribeDeps, token: string): Promise<MailSender | null> {
  const [named, sender] = [readUnsubscribeToken(deps.secrets, token), await readMailSender(deps, token)];
  if (named === null || sender === null) return null;
  await insertUnsubscription(deps.db.em, named, deps.clock.now());
  return sender;
}
