// The sessions of operators: their tokens, which are of no merchant, and whose they are.

import type { BlockList } from 'node:net';
import type { Clock } from '../database/clock.ts';
import { query, type EntityManager } from '../database/connection.ts';
import { refuseForeignBearer } from '../values/cells/bearer-cell.ts';
import { GatewayError } from '../values/errors.ts';
import { isIn } from '../values/internet/address-list.ts';
import type { Secrets } from '../values/secrets/keys.ts';
import { linkSecret, readLinkSecret } from '../values/secrets/mail-links.ts';

/** An operator in a session of theirs. */
export interface OperatorCaller {
  readonly personId: string;
  readonly sessionId: string;
  readonly hasSecondFactor: boolean;
}

const PREFIX = 'op_';
/** A session that was not used for so long has ended. */
const IDLE_MS = 30 * 60_000;

/** Whether a bearer can be an operator's: nothing else takes one, and no other bearer is taken for one. */
export const isOperatorToken = (bearer: string): boolean => bearer.startsWith(PREFIX);

/** The token of an operator's session. It says nothing by itself: what holds is what the session's row says. */
export const operatorToken = ({ linkKey }: Pick<Secrets, 'linkKey'>, sessionId: string): string =>
  `${PREFIX}${linkSecret(linkKey, sessionId)}`;

/** Throws 1003 for an address that operators may not call from; `addresses` is null where they may from any. */
export function checkOperatorAddress(addresses: BlockList | null, ip: string): void {
  if (addresses !== null && !isIn(addresses, ip))
    throw new GatewayError('ADDRESS_NOT_ALLOWED', { message: 'Operators do not call from your address' });
}

export interface OperatorAccess {
  /** The operator of a token. Errors: 1002, 9421. */
  authenticate(bearer: string): Promise<OperatorCaller>;
  /** Throws 1003 for an address that operators may not call from. */
  checkAddress(ip: string): void;
}

interface OperatorAccessDeps {
  readonly em: EntityManager;
  readonly clock: Clock;
  readonly secrets: Pick<Secrets, 'linkKey'>;
  readonly addresses: BlockList | null;
  /** Called for each call in a session. */
  readonly onSessionUse: (sessionId: string) => void;
}

/** Asked at each call: operators are few, and one who is revoked must not act a moment longer. */
const FIND = `select p.id as "personId", exists (select from factor f where f.person_id = p.id) as "hasSecondFactor"
  from owner_session s join person p on p.id = s.person_id
  where s.id = $1 and s.operator and p.is_operator and s.ended_at is null and s.expires_at > $2 and s.last_seen_at > $3`;

/** Creates the check of operators' sessions. */
export function createOperatorAccess(deps: OperatorAccessDeps): OperatorAccess {
  const { em, clock, secrets, addresses, onSessionUse } = deps;
  return {
    async authenticate(bearer) {
      refuseForeignBearer(bearer);
      const sessionId = readLinkSecret(secrets.linkKey, bearer.slice(PREFIX.length));
      const now = clock.now();
      const since = new Date(now.getTime() - IDLE_MS);
      const [found] =
        sessionId === null ? [] : await query<Omit<OperatorCaller, 'sessionId'>>(em, FIND, [sessionId, now, since]);
      if (sessionId === null || !found) throw new GatewayError('INVALID_TOKEN');
      onSessionUse(sessionId);
      return { ...found, sessionId };
    },
    checkAddress: (ip) => checkOperatorAddress(addresses, ip),
  };
}
