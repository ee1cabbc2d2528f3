// A table of payments, each with a link to its page.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { networkName } from '../networks.ts';
import type { PaymentRowFragment } from '../generated/operations.ts';
import { Email } from './lists/email.tsx';
import { Status } from './badge.tsx';
import { Copy } from './copy.tsx';
import { amountColumn, Table, type Column } from './table.tsx';
import { Time } from './time.tsx';
import { classOfName } from './lists/names.ts';

interface PaymentTableProps {
  readonly label: string;
  readonly rows: readonly PaymentRowFragment[];
  /** The compact table, without the amount received, the network and the creation time. */
  readonly isShort?: boolean;
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
  /** Payments can be selected, and looked at beside the list. */
  readonly choice?: PaymentChoice;
}

export interface PaymentChoice {
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (id: string, isSelected: boolean) => void;
  readonly onLook: (id: string) => void;
}

const nameOf = ({ id, merchantOrderId, productName }: PaymentRowFragment) =>
  merchantOrderId ?? productName ?? `…${id.slice(-8)}`;

const COLUMNS: readonly Column<PaymentRowFragment>[] = [
  {
    title: 'Payment',
    isFixed: true,
    phone: 'first',
    cell: (row) => (
      <>
        <Link href={`/payments/${row.id}`} className={classOfName(nameOf(row))}>
          {nameOf(row)}
        </Link>
        {row.merchantOrderId != null && row.productName != null && <small className="of"> {row.productName}</small>}
      </>
    ),
  },
  {
    title: 'Status',
    phone: 'second',
    cell: ({ status, exception }) => <Status status={status} exception={exception ?? null} />,
  },
  amountColumn('Amount', ({ amount, currency }) => [amount, currency], 'first-end'),
];

const FURTHER: readonly Column<PaymentRowFragment>[] = [
  amountColumn('Received', ({ amountReceived, currency }) => [amountReceived, currency], 'off'),
  { title: 'Network', phone: 'second', cell: ({ network }) => networkName(network) },
  {
    title: 'E-mail',
    isExtra: true,
    phone: 'off',
    cell: ({ customerEmail }) => customerEmail && <Email address={customerEmail} />,
  },
  { title: 'Id', isExtra: true, phone: 'off', cell: ({ id }) => <Copy value={id} label="payment id" isShort /> },
  { title: 'Created', phone: 'second-end', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

const selecting = ({ selected, onSelect }: PaymentChoice): Column<PaymentRowFragment> => ({
  title: 'Select',
  isUntitled: true,
  isFixed: true,
  phone: 'off',
  cell: (row) => (
    <label className="select">
      <input
        type="checkbox"
        checked={selected.has(row.id)}
        aria-label={`Select ${nameOf(row)}`}
        onChange={({ currentTarget }) => onSelect(row.id, currentTarget.checked)}
      />
    </label>
  ),
});

const looking = ({ onLook }: PaymentChoice): Column<PaymentRowFragment> => ({
  title: 'Look',
  isUntitled: true,
  isFixed: true,
  phone: 'off',
  cell: (row) => (
    <button type="button" className="look" aria-label={`Look at ${nameOf(row)}`} onClick={() => onLook(row.id)}>
      <svg className="icon" viewBox="0 0 20 20" aria-hidden="true">
        <path d="M3 4h14v12H3zM12 4v12" />
      </svg>
    </button>
  ),
});

export function PaymentTable({ isShort = false, choice, ...rest }: PaymentTableProps): ReactNode {
  const columns = isShort ? COLUMNS : [...COLUMNS, ...FURTHER];
  return (
    <Table
      {...rest}
      columns={choice ? [selecting(choice), ...columns, looking(choice)] : columns}
      keyOf={({ id }) => id}
      {...(choice && {
        choiceOf: 'payments',
        onRow: ({ id }: PaymentRowFragment) => choice.onLook(id),
        marked: choice.selected,
      })}
    />
  );
}
