// The overview: open payments, income by day, the share of requested money that was paid, and the wallet.

import { lazy, Suspense, useCallback, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery, useSubscription, type CombinedError } from 'urql';
import { compareAmounts } from '../amounts.ts';
import { isSandbox, networkName } from '../networks.ts';
import {
  BalancesDocument,
  OverviewDocument,
  PaymentChangesDocument,
  type BalancesQuery,
  type OverviewQuery,
} from '../generated/operations.ts';
import { Amount } from '../components/amount.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { PageActions } from '../components/page-head.tsx';
import { PaymentTable } from '../components/payment-table.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { useRefreshOnReturn } from '../components/hooks/use-pages.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';
import { FirstRun } from './onboarding.tsx';
import '../style/overview.css';

/** Loaded later: charts are heavy, and the figures come first. */
const AssetChart = lazy(() => import('../components/charts/asset-chart.tsx'));

const DAY_MS = 86_400_000;
const DAYS = 30;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export default function Overview(): ReactNode {
  const [startDate] = useState(() => dayOf(Date.now() - (DAYS - 1) * DAY_MS));
  const [{ data, error }, reload] = useQuery({ query: OverviewDocument, variables: { startDate } });
  const [balances, reloadBalances] = useQuery({ query: BalancesDocument });
  const refresh = useCallback(() => {
    reload({ requestPolicy: 'network-only' });
    reloadBalances({ requestPolicy: 'network-only' });
  }, [reload, reloadBalances]);
  useRefreshOnReturn(refresh);
  const onChange = useThrottled(refresh);
  useSubscription({ query: PaymentChangesDocument, variables: {} }, (_, change) => {
    onChange();
    return change;
  });
  return (
    <>
      <PageActions>
        <LinkButton href="/payments/new">New payment</LinkButton>
      </PageActions>
      {isSandbox && <FirstRun />}
      {error ? (
        <Problem error={error} onRetry={refresh} />
      ) : (
        <Figures data={data} balances={balances} onRetry={refresh} />
      )}
    </>
  );
}

interface FiguresProps {
  /** Undefined until loaded. */
  readonly data: OverviewQuery | undefined;
  readonly balances: { readonly data?: BalancesQuery | undefined; readonly error?: CombinedError | undefined };
  readonly onRetry: () => void;
}

function Figures({ data, balances, onRetry }: FiguresProps): ReactNode {
  return (
    <>
      {data && <Tiles data={data} />}
      <Sheet title={`Paid in the last ${DAYS} days`}>
        {data ? <Volume report={data.report} /> : <Loading lines={5} />}
      </Sheet>
      <div className="halves">
        <Sheet title="Open payments" actions={<Link href="/payments?status=OPEN">All open payments</Link>}>
          {data ? <OpenPayments rows={data.open.nodes.slice(0, 5)} /> : <Loading />}
        </Sheet>
        <Sheet title="Balances">
          {balances.error && <Problem error={balances.error} onRetry={onRetry} />}
          {balances.data ? <Balances rows={balances.data.walletBalances} /> : !balances.error && <Loading />}
        </Sheet>
      </div>
    </>
  );
}

const PAID = new Set(['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

function Tiles({ data: { open, ended, report } }: { data: OverviewQuery }): ReactNode {
  const paid = ended.nodes.filter(({ status }) => PAID.has(status)).length;
  const counted = ended.nodes.length;
  const credited = report.totals.reduce((sum, { payments }) => sum + payments, 0);
  const of = ended.pageInfo.hasNextPage
    ? `of the last ${counted} that ended`
    : `of ${counted} that ended in ${DAYS} days`;
  return (
    <dl className="tiles">
      <Tile
        name="Open payments"
        value={`${open.nodes.length}${open.pageInfo.hasNextPage ? '+' : ''}`}
        note="waiting or confirming"
      />
      <Tile
        name="Success rate"
        value={counted === 0 ? '–' : `${Math.round((100 * paid) / counted)}%`}
        note={counted === 0 ? 'nothing has ended yet' : of}
      />
      <Tile name="Payments received" value={String(credited)} note={`in the last ${DAYS} days`} />
    </dl>
  );
}

function Tile({ name, value, note }: { name: string; value: string; note: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <small>{note}</small>
      </dd>
    </div>
  );
}

function Volume({ report: { rows, totals } }: Pick<OverviewQuery, 'report'>): ReactNode {
  if (totals.length === 0)
    return <Empty title="Nothing was paid in this period.">Once money arrives, it is shown here day by day.</Empty>;
  const days = Array.from({ length: DAYS }, (_, ago) => dayOf(Date.now() - (DAYS - 1 - ago) * DAY_MS));
  return (
    <Suspense fallback={<Loading lines={5} />}>
      <AssetChart title="Paid by day" labelTitle="Day (UTC)" totals={totals} rows={rows} periods={days} />
    </Suspense>
  );
}

function OpenPayments({ rows }: { rows: OverviewQuery['open']['nodes'] }): ReactNode {
  if (rows.length === 0) return <Empty title="No payment is open.">Those that wait for money are shown here.</Empty>;
  return <PaymentTable label="Open payments" rows={rows} isShort />;
}

function Balances({ rows }: { rows: BalancesQuery['walletBalances'] }): ReactNode {
  if (rows.length === 0) return <Empty title="The wallet is empty.">What your customers pay is kept here.</Empty>;
  return (
    <dl className="balances">
      {rows.map(({ currency, network, available, pending }) => (
        <div key={`${currency}/${network}`}>
          <dt>
            {currency} on {networkName(network)}
          </dt>
          <dd>
            <Amount value={available} currency={currency} />
            {compareAmounts(pending, '0') > 0 && (
              <small>
                {' '}
                and <Amount value={pending} currency={currency} /> confirming
              </small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
