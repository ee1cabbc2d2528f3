// A table of payments, each with a link to its page.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { networkName } from '../networks.ts';
import type { PaymentRowFragment } from '../generated/operations.ts';
import { Amount } from './amount.tsx';
import { Status } from './badge.tsx';
import { Table, type Column } from './table.tsx';
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
    cell: ({ id, merchantOrderId, productName }) => (
      <Link href={`/payments/${id}`} className="name-of">
        {merchantOrderId ?? productName ?? `…${id.slice(-8)}`}
      </Link>
    ),
  },
  { title: 'Status', cell: ({ status, exception }) => <Status status={status} exception={exception ?? null} /> },
  { title: 'Amount', cell: ({ amount, currency }) => <Amount value={amount} currency={currency} />, isNumber: true },
];

const FURTHER: readonly Column<PaymentRowFragment>[] = [
  {
    title: 'Received',
    cell: ({ amountReceived, currency }) => <Amount value={amountReceived} currency={currency} />,
    isNumber: true,
  },
  { title: 'Network', cell: ({ network }) => networkName(network) },
  { title: 'Created', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

export function PaymentTable({ isShort = false, ...rest }: PaymentTableProps): ReactNode {
  return <Table {...rest} columns={isShort ? COLUMNS : [...COLUMNS, ...FURTHER]} keyOf={({ id }) => id} />;
}
