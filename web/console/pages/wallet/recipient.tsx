// Where a withdrawal goes: an address of the book or, unless the policy allows those alone, a typed one.

import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { networkName } from '../../networks.ts';
import type { PayoutAddressRowFragment } from '../../generated/operations.ts';
import { Field } from '../../components/forms/field.tsx';
import { textOf } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';

/** The choice of an address that is typed. */
const TYPED = 'typed';

interface RecipientFieldsProps {
  readonly network: string;
  /** The addresses of the book that may be paid to on the network. */
  readonly booked: readonly PayoutAddressRowFragment[];
  readonly isBookOnly: boolean;
}

export function RecipientFields({ network, booked, isBookOnly }: RecipientFieldsProps): ReactNode {
  const [chosen, setChosen] = useState('');
  const isTyped = booked.length === 0 ? !isBookOnly : chosen === TYPED;
  if (booked.length === 0 && isBookOnly)
    return (
      <p className="notice">
        Your policy only allows withdrawals to the address book, which has no usable address on {networkName(network)}.{' '}
        <Link href="/wallet/addresses">Open the address book</Link>
      </p>
    );
  return (
    <>
      {booked.length > 0 && (
        <Select
          label="To"
          name="addressId"
          value={chosen}
          onChange={setChosen}
          options={[
            ['', 'Choose an address'],
            ...booked.map(({ id, label, address }) => [id, `${label}: ${ends(address)}`] as const),
            ...(isBookOnly ? [] : [[TYPED, 'An address that is not in the book'] as const]),
          ]}
          isRequired
        />
      )}
      {isTyped && (
        <Field
          label={`Address on ${networkName(network)}`}
          name="address"
          autoComplete="off"
          spellCheck="false"
          hint={`It must be one on ${networkName(network)}; on another network the money would be lost.`}
          isRequired
        />
      )}
    </>
  );
}

const ends = (address: string): string => `${address.slice(0, 8)}…${address.slice(-6)}`;

/** Where a withdrawal goes, as it was chosen. */
export interface Recipient {
  readonly address: string;
  /** The entry of the book; null for a typed address. */
  readonly entry: PayoutAddressRowFragment | null;
}

/** What the fields say. */
export function recipientOf(data: FormData, booked: readonly PayoutAddressRowFragment[]): Recipient {
  const entry = booked.find(({ id }) => id === textOf(data, 'addressId')) ?? null;
  return { address: entry?.address ?? textOf(data, 'address'), entry };
}
