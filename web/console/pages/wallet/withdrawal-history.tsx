// The withdrawals, or those of a batch, updated live.

import { useCallback, type ReactNode } from 'react';
import { isZero, written } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import { WithdrawalsDocument, type PayoutStatus, type WithdrawalRowFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { wordsOf } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { Select } from '../../components/forms/select.tsx';
import { useChoices, type Choices } from '../../components/hooks/use-choices.ts';
import { Filters } from '../../components/lists/filters.tsx';
import { inForce, ofChoice, type FilterWords } from '../../components/lists/in-force.ts';
import { useHeldRows } from '../../components/lists/use-held-rows.ts';
import { PayoutOrigin, PayoutState, PayoutTransaction } from '../../components/payouts/payout-state.tsx';
import { useLivePayouts } from '../../components/payouts/use-live-payouts.ts';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { usePages } from '../../components/hooks/use-pages.ts';

interface WithdrawalHistoryProps {
  /** The batch that they are of; without it, all are shown. */
  readonly batchId?: string;
  readonly onChange: () => void;
}

export function WithdrawalHistory({ batchId, onChange }: WithdrawalHistoryProps): ReactNode {
  const choices = useChoices();
  const status = choices.parameters.get('status') ?? '';
  const filter = {
    ...(batchId !== undefined && { batchId }),
    ...(status !== '' && { status: [status as PayoutStatus] }),
  };
  const { nodes, error, loadMore, isLoadingMore, refresh, of } = usePages({
    query: WithdrawalsDocument,
    variables: { filter },
    read: (data) => data.withdrawals,
    keyOf,
  });
  const { rows, place } = useHeldRows({ rows: nodes, keyOf, of });
  useLivePayouts({ nodes, refresh, concerns: isWithdrawal, onEnded: onChange });
  const onChanged = useCallback(() => {
    refresh();
    onChange();
  }, [refresh, onChange]);
  return (
    <Sheet title="Withdrawals">
      <WithdrawalFilters {...choices} />
      {error && <Problem error={error} onRetry={refresh} />}
      {!rows && !error && <Loading />}
      {rows?.length === 0 && <Empty title={status === '' ? 'No withdrawals yet.' : 'No withdrawals match.'} />}
      <div ref={place}>
        {rows && rows.length > 0 && (
          <Table
            label="Withdrawals"
            rows={rows}
            keyOf={keyOf}
            onMore={loadMore}
            isLoadingMore={isLoadingMore}
            columns={columnsOf(onChanged)}
          />
        )}
      </div>
    </Sheet>
  );
}

const keyOf = ({ id }: WithdrawalRowFragment) => id;

const STATES = ['AWAITING_APPROVAL', 'REQUESTED', 'BROADCAST', 'COMPLETED', 'FAILED', 'REJECTED'] as const;
const STATUS_OPTIONS = [['', 'Any'], ...STATES.map((state) => [state, wordsOf(state)] as const)] as const;
const WORDS: FilterWords = { status: ofChoice('Status', STATUS_OPTIONS) };

function WithdrawalFilters(choices: Choices): ReactNode {
  const { parameters, choose } = choices;
  return (
    <Filters {...choices} inForce={inForce(parameters, WORDS)}>
      <Select
        label="Status"
        options={STATUS_OPTIONS}
        value={parameters.get('status') ?? ''}
        onChange={(value) => choose('status', value)}
      />
    </Filters>
  );
}

const isWithdrawal = ({ __typename }: { readonly __typename: string }) => __typename === 'Withdrawal';

const columnsOf = (onChanged: () => void): readonly Column<WithdrawalRowFragment>[] => [
  {
    title: 'Requested',
    phone: 'second-end',
    cell: (payout) => <PayoutOrigin payout={payout} />,
  },
  {
    title: 'Amount',
    phone: 'first',
    isNumber: true,
    amountOf: ({ amount, currency }) => [amount, currency],
    cell: ({ amount, networkFee, currency }) => (
      <span>
        <Amount value={amount} currency={currency} />
        {!isZero(networkFee) && <span className="quietly below"> + {written(networkFee, currency)} fee</span>}
      </span>
    ),
  },
  { title: 'Network', phone: 'off', cell: ({ network }) => networkName(network) },
  { title: 'To', phone: 'second', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
  {
    title: 'Status',
    phone: 'first-end',
    cell: (payout) => <PayoutState payout={payout} thing="withdrawal" onChanged={onChanged} />,
  },
  { title: 'Transaction', phone: 'second', cell: (payout) => <PayoutTransaction payout={payout} /> },
];
