// A table of payments, each with a link to its page.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { networkName } from '../networks.ts';
import type { PaymentRowFragment } from '../generated/operations.ts';
import { Status } from './badge.tsx';
import { amountColumn, Table, type Column } from './table.tsx';
import { Time } from './time.tsx';

interface PaymentTableProps {
  readonly label: string;
  readonly rows: readonly PaymentRowFragment[];
  /** The compact table, without the amount received, the network and the creation time. */
  readonly isShort?: boolean;
  readonly onMore?: (() => void) | undefined;
  readonly isLoadingMore?: boolean;
}

const COLUMNS: readonly Column<PaymentRowFragment>[] = [
  {
    title: 'Payment',
    phone: 'first',
    cell: ({ id, merchantOrderId, productName }) => (
      <Link href={`/payments/${id}`} className="name-of">
        {merchantOrderId ?? productName ?? `…${id.slice(-8)}`}
      </Link>
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
  { title: 'Created', phone: 'second-end', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

export function PaymentTable({ isShort = false, ...rest }: PaymentTableProps): ReactNode {
  return <Table {...rest} columns={isShort ? COLUMNS : [...COLUMNS, ...FURTHER]} keyOf={({ id }) => id} />;
}
