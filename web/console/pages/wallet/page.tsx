// The merchant's balances and withdrawals.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { isZero } from '../../amounts.ts';
import { networkName } from '../../networks.ts';
import { WalletDocument, WalletMovedDocument, type WalletQuery } from '../../generated/operations.ts';
import { May } from '../../components/may.tsx';
import { Button } from '../../components/forms/button.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { amountColumn, Table } from '../../components/table.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { WithdrawDialog } from './withdraw-dialog.tsx';
import { WithdrawalHistory } from './withdrawal-history.tsx';

type Balance = WalletQuery['walletBalances'][number];

export default function Wallet(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: WalletDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  const [isAsking, setAsking] = useState(false);
  const [turn, setTurn] = useState(0);
  useRefreshOnReturn(refresh);
  // Money comes in with payments: any change of a payment may have changed a balance.
  const onMove = useThrottled(refresh);
  useChanges(WalletMovedDocument, {}, onMove);
  const withdrawable = data?.walletBalances.filter(({ available }) => !isZero(available)) ?? [];
  return (
    <>
      <SectionLinks section="Balances" />
      <PageActions>
        <May permissions={['WITHDRAW']}>
          <Button isDisabled={withdrawable.length === 0} onPress={() => setAsking(true)}>
            Withdraw
          </Button>
        </May>
      </PageActions>
      <Sheet title="Balances">
        {error && <Problem error={error} onRetry={refresh} />}
        {!data && !error && <Loading />}
        {data && <Balances balances={data.walletBalances} />}
      </Sheet>
      <May permissions={['WITHDRAW']}>
        <WithdrawalHistory key={turn} onChange={refresh} />
      </May>
      {data && (
        <WithdrawDialog
          balances={withdrawable}
          currencies={data.currencies}
          isOpen={isAsking}
          onClose={() => setAsking(false)}
          onDone={() => {
            setTurn((now) => now + 1);
            refresh();
          }}
        />
      )}
    </>
  );
}

function Balances({ balances }: { readonly balances: readonly Balance[] }): ReactNode {
  if (balances.length === 0)
    return (
      <Empty title="Your wallet is empty.">
        <p>Payments show here once they are confirmed, less the fee of 1&nbsp;%.</p>
      </Empty>
    );
  return (
    <Table
      label="Balances"
      rows={balances}
      keyOf={({ currency, network }) => `${currency}/${network}`}
      columns={[
        {
          title: 'Currency',
          cell: ({ currency, network }) => (
            <span>
              <strong>{currency}</strong> <span className="quietly">on {networkName(network)}</span>
            </span>
          ),
        },
        amountColumn('Available', ({ available, currency }: Balance) => [available, currency]),
        amountColumn('Incoming', ({ pending, currency }: Balance) => [pending, currency]),
        amountColumn('Outgoing', ({ reserved, currency }: Balance) => [reserved, currency]),
      ]}
    />
  );
}
