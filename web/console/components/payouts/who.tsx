// Who asked for a payout or decided it: the reader, a member by their e-mail, a key by its name, or a rule.

import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { KeyNamesDocument, MemberNamesDocument } from '../../generated/operations.ts';
import { useSession } from '../../session.ts';
import { Email } from '../lists/email.tsx';

interface WhoProps {
  /** A person id or a key id; null if it is unknown, as for old payouts. */
  readonly id: string | null | undefined;
  /** Within a sentence: `you`. */
  readonly isWithin?: boolean;
}

export function Who({ id, isWithin = false }: WhoProps): ReactNode {
  const { person, may } = useSession();
  const isPerson = id?.startsWith('usr_') === true;
  const isKey = id?.startsWith('pk_') === true;
  const isOwn = id === person.id;
  const isRule = id?.startsWith('stl_') === true;
  // Names change rarely, and a table asks for them in each row.
  const requestPolicy = 'cache-first';
  const [members] = useQuery({
    query: MemberNamesDocument,
    pause: !isPerson || isOwn || !may('MANAGE_PEOPLE'),
    requestPolicy,
  });
  const [keys] = useQuery({ query: KeyNamesDocument, pause: !isKey, requestPolicy });
  if (isOwn) return isWithin ? 'you' : 'You';
  const email = members.data?.members.find((member) => member.id === id)?.email;
  if (isPerson) return email === undefined ? 'another member' : <Email address={email} />;
  if (isRule) return 'a settlement rule';
  if (!isKey) return 'unknown';
  const name = keys.data?.apiKeys.find((key) => key.keyId === id)?.name;
  return <>the key {name === undefined ? <code>{id}</code> : `“${name}”`}</>;
}
