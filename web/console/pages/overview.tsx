// The overview: open payments, income by day, the share of requested money that was paid, and the wallet.

import { useCallback, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery, useSubscription, type CombinedError } from 'urql';
import { compareAmounts } from '../amounts.ts';
import { isSandbox, networkName } from '../networks.ts';
import {
  BalancesDocument,
  IncomeDocument,
  PaymentChangesDocument,
  RecentPaymentsDocument,
  type BalancesQuery,
  type IncomeQuery,
  type RecentPaymentsQuery,
} from '../generated/operations.ts';
import { Amount } from '../components/amount.tsx';
import { AssetChart } from '../components/charts/asset-chart.tsx';
import { May } from '../components/may.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { PageActions } from '../components/page-head.tsx';
import { PaymentTable } from '../components/payment-table.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { useRefreshOnReturn } from '../components/hooks/use-pages.ts';
import { useThrottled } from '../components/hooks/use-throttled.ts';
import { useSession } from '../session.ts';
import { FirstRun } from './onboarding.tsx';
import '../style/overview.css';

const DAY_MS = 86_400_000;
const DAYS = 30;
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);

export default function Overview(): ReactNode {
  const { may } = useSession();
  const [startDate] = useState(() => dayOf(Date.now() - (DAYS - 1) * DAY_MS));
  const [isRead, isReported] = [may('READ_PAYMENTS'), may('READ_REPORTS')];
  const variables = { startDate };
  const [payments, reloadPayments] = useQuery({ query: RecentPaymentsDocument, variables, pause: !isRead });
  const [income, reloadIncome] = useQuery({ query: IncomeDocument, variables, pause: !isReported });
  const [balances, reloadBalances] = useQuery({ query: BalancesDocument, pause: !may('READ_WALLET') });
  const refresh = useCallback(() => {
    const anew = { requestPolicy: 'network-only' } as const;
    if (isRead) reloadPayments(anew);
    if (isReported) reloadIncome(anew);
    if (may('READ_WALLET')) reloadBalances(anew);
  }, [isRead, isReported, may, reloadPayments, reloadIncome, reloadBalances]);
  useRefreshOnReturn(refresh);
  const onChange = useThrottled(refresh);
  useSubscription({ query: PaymentChangesDocument, variables: {}, pause: !isRead }, (_, change) => {
    onChange();
    return change;
  });
  return (
    <>
      <May permissions={['CREATE_PAYMENTS']}>
        <PageActions>
          <LinkButton href="/payments/new">New payment</LinkButton>
        </PageActions>
      </May>
      {isSandbox && (
        <May permissions={['READ_PAYMENTS', 'CREATE_PAYMENTS', 'MANAGE_KEYS', 'MANAGE_WEBHOOKS']}>
          <FirstRun />
        </May>
      )}
      <dl className="tiles">
        {isRead && <PaymentTiles payments={payments.data} />}
        {isReported && <IncomeTile income={income.data} />}
      </dl>
      {isReported && (
        <Sheet title={`Paid in the last ${DAYS} days`}>
          <Answered {...income} lines={8} onRetry={refresh}>
            {({ report }) => <Volume report={report} />}
          </Answered>
        </Sheet>
      )}
      <div className="halves">
        {isRead && (
          <Sheet title="Open payments" actions={<Link href="/payments?status=OPEN">All open payments</Link>}>
            <Answered {...payments} onRetry={refresh}>
              {({ open }) => <OpenPayments rows={open.nodes.slice(0, 5)} />}
            </Answered>
          </Sheet>
        )}
        <May permissions={['READ_WALLET']}>
          <Sheet title="Balances">
            <Answered {...balances} onRetry={refresh}>
              {({ walletBalances }) => <Balances rows={walletBalances} />}
            </Answered>
          </Sheet>
        </May>
      </div>
    </>
  );
}

interface AnsweredProps<Data> {
  /** Nothing until loaded, and null while it is asked for again after an error. */
  readonly data?: Data | null | undefined;
  readonly error?: CombinedError | undefined;
  readonly lines?: number;
  readonly onRetry: () => void;
  readonly children: (data: Data) => ReactNode;
}

/** A part of the page, once its data is there; each part fails alone. */
function Answered<Data>({ data, error, lines = 3, onRetry, children }: AnsweredProps<Data>): ReactNode {
  if (error) return <Problem error={error} onRetry={onRetry} />;
  return data === undefined || data === null ? <Loading lines={lines} /> : children(data);
}

const PAID = new Set(['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED']);

/** As large before its figures are there as afterwards, so that nothing moves. */
function PaymentTiles({ payments }: { readonly payments: RecentPaymentsQuery | undefined }): ReactNode {
  if (!payments)
    return (
      <>
        <Tile name="Open payments" />
        <Tile name="Success rate" />
      </>
    );
  const { open, ended } = payments;
  const paid = ended.nodes.filter(({ status }) => PAID.has(status)).length;
  const counted = ended.nodes.length;
  const of = ended.pageInfo.hasNextPage
    ? `of the last ${counted} that ended`
    : `of ${counted} that ended in ${DAYS} days`;
  return (
    <>
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
    </>
  );
}

function IncomeTile({ income }: { readonly income: IncomeQuery | undefined }): ReactNode {
  if (!income) return <Tile name="Payments received" />;
  const received = income.report.totals.reduce((sum, { payments: of }) => sum + of, 0);
  return <Tile name="Payments received" value={String(received)} note={`in the last ${DAYS} days`} />;
}

interface TileProps {
  readonly name: string;
  /** Nothing until it is known. */
  readonly value?: string;
  readonly note?: string;
}

function Tile({ name, value = '\u2007', note = '\u2007' }: TileProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <small>{note}</small>
      </dd>
    </div>
  );
}

function Volume({ report: { rows, totals } }: Pick<IncomeQuery, 'report'>): ReactNode {
  if (totals.length === 0)
    return <Empty title="Nothing was paid in this period.">Once money arrives, it is shown here day by day.</Empty>;
  const days = Array.from({ length: DAYS }, (_, ago) => dayOf(Date.now() - (DAYS - 1 - ago) * DAY_MS));
  return <AssetChart title="Paid by day" labelTitle="Day (UTC)" totals={totals} rows={rows} periods={days} />;
}

function OpenPayments({ rows }: { rows: RecentPaymentsQuery['open']['nodes'] }): ReactNode {
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
