// The book of addresses that payouts may go to: adding one waits for the hold, removing one holds at once
// (contract-people-payouts, section D).

import type { EntityManager } from '../../database/connection.ts';
import {
  countAddresses,
  holdBookedAddresses,
  insertAddress,
  readAddressBook,
  readBookedAddresses,
  removeAddress,
  type BookedAddress,
} from '../../database/queries/control/address-book.ts';
import type { Network } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { isId, newId } from '../../values/id.ts';
import { addressStatusAt, type PayoutAddressStatus } from '../../values/payouts/address-status.ts';
import { inTransaction, type Deps } from '../deps.ts';
import type { IdempotencyKey, IdempotentResult } from '../idempotency.ts';
import { runIdempotent } from '../idempotent-request.ts';
import { nameOfActor, tellMembers, toldTime } from '../mail/notices.ts';
import { recordAudit } from '../merchants/audit-log.ts';
import { refuseHeld, roleUnderLock } from '../people/members.ts';
import type { PersonActor } from '../actor.ts';
import { requireNetwork } from '../requested-amount.ts';
import { requirePolicyFactor } from './judge-payouts.ts';
import { parseRecipient, refuseWallet } from './recipient.ts';

/** How many addresses a book may have. */
const MOST_ADDRESSES = 1_000;

/** An address of the book as its merchant sees it. */
export interface PayoutAddress extends Pick<
  BookedAddress,
  'id' | 'network' | 'address' | 'label' | 'usableAt' | 'createdAt'
> {
  readonly status: PayoutAddressStatus;
}

/** Shows an entry of the book as it is at a time. */
export const toPayoutAddress = (booked: BookedAddress, now: Date): PayoutAddress => {
  const { id, network, address, label, usableAt, createdAt } = booked;
  return { id, network, address, label, status: addressStatusAt(booked, now), usableAt, createdAt };
};

/** A merchant's addresses that were not removed, newest first. */
export async function listAddresses(
  { db, clock }: Pick<Deps, 'db' | 'clock'>,
  merchantId: string,
): Promise<PayoutAddress[]> {
  const now = clock.now();
  return (await readAddressBook(db.em, merchantId)).map((booked) => toPayoutAddress(booked, now));
}

/** An address to add. */
export interface NewPayoutAddress {
  readonly network: string;
  readonly address: string;
  readonly label: string;
}

/**
 * Adds an address, which may be paid to after the hold. Errors: 3001, 3007 without a node for its network, 4002 as for
 * a withdrawal, 1013, 1014, 2001 for one that the book has or one too many, 2002, 2003.
 */
export async function addAddress(
  deps: Deps & { readonly payoutHoldMs: number },
  actor: PersonActor,
  { network: name, address: text, label }: NewPayoutAddress,
  idempotencyKey: IdempotencyKey | null,
): Promise<IdempotentResult<PayoutAddress>> {
  const network = requireNetwork(name);
  const chain = deps.chains.get(network);
  if (!chain) throw new GatewayError('NETWORK_UNAVAILABLE');
  const { address, key: addressKey } = parseRecipient(chain.adapter, text);
  const { merchantId, personId } = actor;
  return runIdempotent(deps, idempotencyKey, async (em, createdAt) => {
    await roleUnderLock(em, actor);
    await refuseHeld(em, actor, createdAt);
    await requirePolicyFactor(em, actor, createdAt);
    await refuseWallet(em, addressKey);
    if ((await countAddresses(em, merchantId)) >= MOST_ADDRESSES)
      throw invalid([{ path: '', message: `There may be at most ${MOST_ADDRESSES} addresses; remove one first` }]);
    const usableAt = new Date(createdAt.getTime() + deps.payoutHoldMs);
    const id = newId('adr', createdAt.getTime());
    const booked = { id, network, address, addressKey, label, createdAt, usableAt };
    if (!(await insertAddress(em, merchantId, booked, personId)))
      throw invalid([{ path: 'address', message: 'is in the book already' }]);
    const details = { network, address, label, usableAt };
    await recordAudit(em, actor, { action: 'PAYOUT_ADDRESS_ADDED', target: id, details }, createdAt);
    await tellAddition(em, deps, actor, booked);
    return toPayoutAddress({ ...booked, removedAt: null }, createdAt);
  });
}

/** Tells those who look after the book, and the owners, of a new address. */
async function tellAddition(
  em: EntityManager,
  deps: Pick<Deps, 'sendsMail'>,
  actor: PersonActor,
  { network, address, usableAt, createdAt }: Pick<PayoutAddress, 'network' | 'address' | 'usableAt' | 'createdAt'>,
): Promise<void> {
  if (deps.sendsMail !== true) return;
  const { merchantId } = actor;
  const params = { by: await nameOfActor(em, actor), address, network, from: toldTime(usableAt) };
  const audience = { owners: true, permission: 'MANAGE_ADDRESSES' } as const;
  await tellMembers(em, deps, audience, { merchantId, template: 'ADDRESS_ADDED', params }, createdAt);
}

/** Removes an address at once; nothing happens to one that was removed. Errors: 2004. */
export function removeFromBook(
  deps: Pick<Deps, 'db' | 'clock'>,
  actor: PersonActor,
  id: string,
): Promise<PayoutAddress> {
  return inTransaction(deps, async (em) => {
    const { merchantId, personId } = actor;
    const now = deps.clock.now();
    const isRemoved = isId('adr', id) && (await removeAddress(em, merchantId, id, { at: now, by: personId }));
    const [booked] = isId('adr', id) ? await readBookedAddresses(em, merchantId, [id]) : [];
    if (!booked) throw new GatewayError('NOT_FOUND');
    const { network, address, label } = booked;
    const change = { action: 'PAYOUT_ADDRESS_REMOVED', target: id, details: { network, address, label } } as const;
    if (isRemoved) await recordAudit(em, actor, change, now);
    return toPayoutAddress(booked, now);
  });
}

/** Where a withdrawal is to go: an address, or one of the book by its id; its network where that is known. */
export interface Destination {
  readonly address?: string | null;
  readonly addressId?: string | null;
  readonly network: Network;
}

/**
 * The texts of the addresses that withdrawals are to go to, or what is wrong: 2001 at `address` for both or neither,
 * and at `addressId` for one of another network; 2004.
 */
export async function readDestinations(
  { db }: Pick<Deps, 'db'>,
  merchantId: string,
  destinations: readonly Destination[],
): Promise<(string | GatewayError)[]> {
  const ids = destinations.flatMap(({ addressId }) => (addressId != null && isId('adr', addressId) ? [addressId] : []));
  const booked = ids.length === 0 ? [] : await readBookedAddresses(db.em, merchantId, ids);
  const byId = new Map(booked.map((entry) => [entry.id, entry]));
  return destinations.map(({ address = null, addressId = null, network }) => {
    if ((address === null) === (addressId === null))
      return invalid([{ path: 'input.address', message: 'either this or addressId must be given' }]);
    if (addressId === null) return address ?? '';
    const entry = byId.get(addressId);
    if (!entry) return new GatewayError('NOT_FOUND', { message: 'There is no such address in the book' });
    return entry.network === network
      ? entry.address
      : invalid([{ path: 'input.addressId', message: 'is of another network' }]);
  });
}

/** The same of one. Errors: 2001, 2004. */
export async function readDestination(
  deps: Pick<Deps, 'db'>,
  merchantId: string,
  destination: Destination,
): Promise<string> {
  const [found] = await readDestinations(deps, merchantId, [destination]);
  if (typeof found === 'string') return found;
  throw found ?? new GatewayError('NOT_FOUND');
}

/** Whom a payout goes to, by the key of the address, and the entry of the book that a caller named for it. */
export interface BookedRecipient {
  readonly network: Network;
  readonly key: string;
  readonly named?: string | null;
}

/**
 * The active entries of recipients, which stay active until the transaction ends; null for one without, and an error
 * (4006) where the entry `named` is not active any more, or not yet.
 */
export async function findActives(
  em: EntityManager,
  merchantId: string,
  recipients: readonly BookedRecipient[],
  now: Date,
): Promise<(string | null | GatewayError)[]> {
  const placeOf = (network: string, key: string) => `${network}/${key}`;
  const entries = await holdBookedAddresses(em, merchantId, recipients);
  const byPlace = new Map(entries.map((entry) => [placeOf(entry.network, entry.addressKey), entry]));
  return recipients.map(({ network, key, named = null }) => {
    const booked = byPlace.get(placeOf(network, key));
    const active = booked && addressStatusAt(booked, now) === 'ACTIVE' ? booked.id : null;
    if (named === null || active === named) return active;
    const waits = booked?.id === named;
    return new GatewayError('NOT_IN_BOOK', {
      message: waits ? `Nothing may go there before ${booked.usableAt.toISOString()}` : 'This address was removed',
    });
  });
}

/** The same of one. Errors: 4006. */
export async function findActive(
  em: EntityManager,
  merchantId: string,
  recipient: BookedRecipient,
  now: Date,
): Promise<string | null> {
  const [active = null] = await findActives(em, merchantId, [recipient], now);
  if (active instanceof GatewayError) throw active;
  return active;
}
