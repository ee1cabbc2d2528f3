// What the chain was last seen to hold at our addresses, kept as sums too, and which addresses have to be read again.

import { hasAccounts, type Network } from '../../../values/assets.ts';
import { query, type EntityManager } from '../../connection.ts';
import { toUnits, type Units, type UnitsRow } from './custody.ts';

/** A block after which balances were read. */
interface ReadAt {
  readonly hash: string;
  readonly height: number;
}

/** How far down the chain readings are remembered with their blocks: no reorganisation goes deeper. */
const REMEMBERED_BLOCKS = 256;

/** SQL: the reading `r` is of a block that left the chain, or is to be repeated. */
const IS_VOID = `(r.hash is null or r.height >= (select min(height) from chain_block where network = $1)
  and not exists (select 1 from chain_block b where (b.network, b.height, b.hash) = (r.network, r.height, r.hash)))`;

/** SQL: the addresses of ours between which a transaction `t` moves money. */
const PARTIES = `unnest(array[t.sender_key, t.payer_key, case when t.purpose in ('SWEEP', 'GAS') then t.recipient_key end])`;

/** SQL: an address was read after the block at a height, or a later one. */
const isReadSince = (key: string, height: string): string => `exists (
  select 1 from custody_read r where (r.network, r.address_key) = ($1, ${key}) and r.height >= ${height})`;

/** SQL: what happened in these blocks may not be part of the readings yet. Two bounds, so that an index is used. */
const isRecent = (height: string): string => `${height} > $2 and ${height} <= $3`;

/** Addresses whose last reading is older than what the book has of them, or void. */
const CHANGED = `
  select p.key from deposit d cross join lateral (
    select address_key as key from payment where id = d.payment_id offset 0) p
  where d.network = $1 and ${isRecent('d.block_height')} and not ${isReadSince('p.key', 'd.block_height')}
  union select f.address_key from funding f
  where f.network = $1 and not f.reversed and ${isRecent('f.block_height')}
    and not ${isReadSince('f.address_key', 'f.block_height')}
  union select party.key from transfer t, lateral (select ${PARTIES} as key) party
  where t.network = $1 and t.status in ('CONFIRMED', 'FAILED', 'UNCLEAR') and ${isRecent('t.block_height')}
    and not ${isReadSince('party.key', 't.block_height')}
  union select r.address_key from custody_read r where r.network = $1 and ${IS_VOID}`;

/** Addresses that our transactions under way, or some that the book does not have, may change at any time. */
const UNDER_WAY = `
  select address_key as key from sender where network = $1 and role <> 'DEPOSIT'
  union select ${PARTIES} from transfer t where t.network = $1 and t.status in ('SIGNED', 'BROADCAST')
  union select ${PARTIES} from transfer t where t.id = any($5)
  union select unnest(u.signers) from unknown_transaction u where u.network = $1 and u.resolved_at is null
  union select o->>'addressKey' from unknown_transaction u, jsonb_array_elements(u.transfers) o
  where u.network = $1 and u.resolved_at is null`;

/** SQL: an address is ours. Looked up for each, because a join could be planned over all addresses. */
const IS_OURS = `lateral (
  select 1 from payment where derivation_account = $4 and address_key = due.key
  union all select 1 from sender where network = $1 and address_key = due.key
  union all select 1 from gap_address where account = $4 and address_key = due.key limit 1) ours`;

export interface DueRequest {
  readonly network: string;
  readonly account: string;
  /** The cursor. */
  readonly at: ReadAt;
  /** The height of the last comparison. */
  readonly since: number;
  readonly round: number;
  /** The ids of transactions whose results do not count yet. */
  readonly doubtful: readonly string[];
  /** At most so many of those that have changed. */
  readonly limit: number;
}

export interface DueReadings {
  readonly keys: readonly string[];
  /** Whether these are all that have changed. */
  readonly complete: boolean;
}

/**
 * The addresses to read after the block at the cursor, so that all readings together become what the chain holds after
 * it. Those that this comparison has read after that block are left out.
 */
export async function findDueReadings(em: EntityManager, request: DueRequest): Promise<DueReadings> {
  const { network, account, at, since, round, doubtful, limit } = request;
  const rows = await query<{ key: string; changed: boolean }>(
    em,
    `with changed as (select key from (${CHANGED}) c where key is not null limit $8)
     select due.key, due.changed from (
       select key, bool_or(changed) as changed from (
         select key, true as changed from changed union all select key, false from (${UNDER_WAY}) u where key is not null
       ) as part group by key
     ) as due, ${IS_OURS}
     where not exists (select 1 from custody_read r where (r.network, r.address_key) = ($1, due.key)
       and (r.round, r.height, r.hash) = ($6, $3, $7))
     order by due.key`,
    [
      ...[network, Math.min(since, at.height - REMEMBERED_BLOCKS), at.height, account, doubtful],
      ...[round, at.hash, limit + 1],
    ],
  );
  return { keys: rows.map(({ key }) => key), complete: rows.filter(({ changed }) => changed).length <= limit };
}

/** Balances as the chain had them after a block: each address with each currency. */
export interface Readings {
  readonly network: string;
  readonly round: number;
  readonly at: ReadAt;
  readonly keys: readonly string[];
  readonly balances: readonly { readonly key: string; readonly currency: string; readonly units: bigint }[];
}

/** Stores readings, and what they change of the sums. For use under the lease. */
export async function storeReadings(
  em: EntityManager,
  { network, round, at, keys, balances }: Readings,
): Promise<void> {
  await query(
    em,
    `with changed as (
       select g.key, g.currency, g.units, coalesce(r.units, 0) as before
       from unnest($2::text[], $3::text[], $4::numeric[]) as g(key, currency, units)
       left join lateral (select units from custody_reading
         where (network, address_key, currency) = ($1, g.key, g.currency) offset 0) r on true
       where g.units <> coalesce(r.units, 0)
     ), emptied as (
       delete from custody_reading r using changed c
       where (r.network, r.address_key, r.currency) = ($1, c.key, c.currency) and c.units = 0
     ), filled as (
       insert into custody_reading (network, address_key, currency, units)
       select $1, key, currency, units from changed where units > 0
       on conflict (network, address_key, currency) do update set units = excluded.units
     )
     insert into custody_total as t (network, currency, units)
     select $1, currency, sum(units - before) from changed group by currency
     on conflict (network, currency) do update set units = t.units + excluded.units`,
    [
      network,
      balances.map(({ key }) => key),
      balances.map(({ currency }) => currency),
      balances.map(({ units }) => units.toString()),
    ],
  );
  await query(
    em,
    `insert into custody_read (network, address_key, height, hash, round)
     select $1, key, $3, $4, $5 from unnest($2::text[]) as key
     on conflict (network, address_key)
       do update set height = excluded.height, hash = excluded.hash, round = excluded.round`,
    [network, keys, at.height, at.hash, round],
  );
}

/** The sums of all readings, by currency. */
export async function readTotals(em: EntityManager, network: string): Promise<Units> {
  const sums = 'select currency, units::text from custody_total where network = $1';
  return toUnits(await query<UnitsRow>(em, sums, [network]));
}

/** Ends a comparison at a block, and forgets which addresses were read too far below it. For use under the lease. */
export async function endComparison(em: EntityManager, network: string, height: number): Promise<void> {
  await query(em, 'update custody_progress set round = round + 1, sliced = false, height = $2 where network = $1', [
    network,
    height,
  ]);
  await query(em, 'delete from custody_read where network = $1 and height < $2 and hash is not null', [
    network,
    height - REMEMBERED_BLOCKS,
  ]);
}

/** Lets the next comparison read again what one has read: it showed a difference that is to be seen twice. */
export async function repeatReadings(em: EntityManager, network: string, round: number): Promise<void> {
  await query(em, 'update custody_read set hash = null where network = $1 and round = $2', [network, round]);
}

/**
 * Lets the next comparison read addresses again about which the book has learned something late, below the block of
 * their last reading.
 */
export async function readAgain(em: EntityManager, network: Network, keys: Iterable<string>): Promise<void> {
  if (hasAccounts(network)) await query(em, insertVoid('select unnest($2::text[])'), [network, [...keys]]);
}

/** The same for the addresses between which one of our transactions moves money. */
export async function readPartiesAgain(em: EntityManager, network: Network, txHash: string): Promise<void> {
  const parties = `select ${PARTIES} from transfer t where (t.network, t.tx_hash) = ($1, $2)`;
  if (hasAccounts(network)) await query(em, insertVoid(parties), [network, txHash]);
}

const insertVoid = (keys: string): string => `
  insert into custody_read (network, address_key, height, hash, round)
  select distinct $1, key, 0, null, 0 from (${keys}) as k(key) where key is not null
  on conflict (network, address_key) do update set hash = null`;
