// A merchant's book of payout addresses.

import { query, toDate, type EntityManager } from '../../connection.ts';
import type { Network } from '../../../values/assets.ts';

/** An address of the book. */
export interface BookedAddress {
  readonly id: string;
  readonly network: Network;
  readonly address: string;
  /** Its canonical form, by which addresses are compared. */
  readonly addressKey: string;
  readonly label: string;
  readonly createdAt: Date;
  readonly usableAt: Date;
  readonly removedAt: Date | null;
}

type Row = Omit<BookedAddress, 'createdAt' | 'usableAt' | 'removedAt'> & {
  readonly createdAt: string;
  readonly usableAt: string;
  readonly removedAt: string | null;
};

const COLUMNS = `id, network, address, address_key as "addressKey", label, created_at as "createdAt",
  usable_at as "usableAt", removed_at as "removedAt"`;

const toAddress = ({ createdAt, usableAt, removedAt, ...row }: Row): BookedAddress => ({
  ...row,
  ...{ createdAt: toDate(createdAt), usableAt: toDate(usableAt), removedAt: toDate(removedAt) },
});

/** The addresses that were not removed, newest first. */
export async function readAddressBook(em: EntityManager, merchantId: string): Promise<BookedAddress[]> {
  const rows = await query<Row>(
    em,
    `select ${COLUMNS} from payout_address where merchant_id = $1 and removed_at is null order by id desc`,
    [merchantId],
  );
  return rows.map(toAddress);
}

/** Addresses of a merchant by their ids, removed or not, in no order. */
export async function readBookedAddresses(
  em: EntityManager,
  merchantId: string,
  ids: readonly string[],
): Promise<BookedAddress[]> {
  const rows = await query<Row>(em, `select ${COLUMNS} from payout_address where id = any($1) and merchant_id = $2`, [
    ids,
    merchantId,
  ]);
  return rows.map(toAddress);
}

/** The entries of addresses that were not removed, in no order. They stay in the book until the transaction ends. */
export async function holdBookedAddresses(
  em: EntityManager,
  merchantId: string,
  recipients: readonly { readonly network: string; readonly key: string }[],
): Promise<BookedAddress[]> {
  const rows = await query<Row>(
    em,
    `select ${COLUMNS} from payout_address where merchant_id = $1 and removed_at is null
       and (network, address_key) in (select * from unnest($2::text[], $3::text[])) for share`,
    [merchantId, recipients.map(({ network }) => network), recipients.map(({ key }) => key)],
  );
  return rows.map(toAddress);
}

/** How many addresses were not removed. */
export async function countAddresses(em: EntityManager, merchantId: string): Promise<number> {
  const [row] = await query<{ count: number }>(
    em,
    'select count(*)::int as count from payout_address where merchant_id = $1 and removed_at is null',
    [merchantId],
  );
  return row?.count ?? 0;
}

/** Adds an address; false if the book has it already. */
export async function insertAddress(
  em: EntityManager,
  merchantId: string,
  { id, network, address, addressKey, label, createdAt, usableAt }: Omit<BookedAddress, 'removedAt'>,
  createdBy: string,
): Promise<boolean> {
  const rows = await query(
    em,
    `insert into payout_address (id, merchant_id, network, address, address_key, label, created_by, created_at, usable_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
     on conflict (merchant_id, network, address_key) where removed_at is null do nothing returning 1`,
    [id, merchantId, network, address, addressKey, label, createdBy, createdAt, usableAt],
  );
  return rows.length === 1;
}

/** Removes an address, after the requests that hold it; false if it was removed before. */
export async function removeAddress(
  em: EntityManager,
  merchantId: string,
  id: string,
  removal: { readonly at: Date; readonly by: string },
): Promise<boolean> {
  const rows = await query(
    em,
    `update payout_address set removed_at = $3, removed_by = $4
     where id = $1 and merchant_id = $2 and removed_at is null returning 1`,
    [id, merchantId, removal.at, removal.by],
  );
  return rows.length === 1;
}
