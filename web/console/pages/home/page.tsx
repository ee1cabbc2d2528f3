// The first page: what needs attention, how the business goes beside the time before, and what the wallet holds.

import { useCallback, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery, type CombinedError } from 'urql';
import { isSandbox } from '../../networks.ts';
import {
  BalancesDocument,
  HomeCountsDocument,
  HomePaymentsDocument,
  IncomeDocument,
  PaymentChangesDocument,
  type IncomeQuery,
} from '../../generated/operations.ts';
import { AssetChart } from '../../components/charts/asset-chart.tsx';
import { useFailingEndpoints } from '../../components/frame/navigation-counts.tsx';
import { May } from '../../components/may.tsx';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { PaymentTable } from '../../components/payment-table.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { useChoices } from '../../components/hooks/use-choices.ts';
import { useDrawn } from '../../components/hooks/use-drawn.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { useSession } from '../../session.ts';
import { Attention } from './attention.tsx';
import { Balances } from './balances.tsx';
import { CountFigures, ReceivedFigure } from './figures.tsx';
import { FirstRun } from './onboarding.tsx';
import { RANGES, RANGE_WORDS, rangeOf, type Range, type Span } from './ranges.ts';
import '../../style/home.css';

const reportOf = ({ from, to }: Span, { unit }: Range) => ({
  input: { startDate: from, endDate: to, groupBy: unit, fiat: true },
});

/** All that the page asks for, and what asks for it anew; each part fails alone. */
function useHome(range: Range) {
  const { may } = useSession();
  const [isRead, isReported, isHeld] = [may('READ_PAYMENTS'), may('READ_REPORTS'), may('READ_WALLET')];
  const { now, before } = range;
  const spans = { start: now.from, beforeStart: before.from, beforeEnd: before.to };
  const [counts, reloadCounts] = useQuery({ query: HomeCountsDocument, variables: spans, pause: !isRead });
  const [payments, reloadPayments] = useQuery({ query: HomePaymentsDocument, pause: !isRead });
  const [balances, reloadBalances] = useQuery({ query: BalancesDocument, pause: !isHeld });
  const asked = { query: IncomeDocument, pause: !isReported };
  const [income, reloadIncome] = useQuery({ ...asked, variables: reportOf(now, range) });
  // What was before does not change with what happens now.
  const [former] = useQuery({ ...asked, variables: reportOf(before, range) });
  const refresh = useCallback(() => {
    const anew = { requestPolicy: 'network-only' } as const;
    if (isRead) reloadCounts(anew);
    if (isRead) reloadPayments(anew);
    if (isReported) reloadIncome(anew);
    if (isHeld) reloadBalances(anew);
  }, [isRead, isReported, isHeld, reloadCounts, reloadPayments, reloadIncome, reloadBalances]);
  useRefreshOnReturn(refresh);
  const onChange = useThrottled(refresh);
  useChanges(PaymentChangesDocument, {}, onChange, !isRead);
  return { isRead, isReported, counts, payments, balances, income, former, refresh };
}

export default function Home(): ReactNode {
  const { parameters, choose } = useChoices();
  const range = rangeOf(Number(parameters.get('days')));
  const endpoints = useFailingEndpoints();
  const { isRead, isReported, counts, payments, balances, income, former, refresh } = useHome(range);
  return (
    <>
      <PageActions>
        <RangeChoice range={range} onChange={(days) => choose('days', days)} />
        <May permissions={['CREATE_PAYMENTS']}>
          <LinkButton href="/payments/new">New payment</LinkButton>
        </May>
      </PageActions>
      {isSandbox && (
        <May permissions={['READ_PAYMENTS', 'CREATE_PAYMENTS', 'MANAGE_KEYS', 'MANAGE_WEBHOOKS']}>
          <FirstRun />
        </May>
      )}
      <dl className="tiles">
        {isReported && <ReceivedFigure now={income.data?.report.totals} before={former.data?.report.totals} />}
        {isRead && <CountFigures counts={counts.data} />}
      </dl>
      {isReported && (
        <Sheet title={`Received in the last ${RANGE_WORDS[range.days][1]}`}>
          <Answered {...income} lines={8} onRetry={refresh}>
            {({ report }) => <Volume {...{ range, report }} before={former.data?.report} />}
          </Answered>
        </Sheet>
      )}
      <div className="halves">
        {(isRead || endpoints.length > 0) && (
          <Sheet title="Needs attention" actions={isRead && <Link href="/payments?view=attention">All</Link>}>
            {isRead ? (
              <Answered {...payments} onRetry={refresh}>
                {({ waiting }) => <Attention rows={waiting.nodes} endpoints={endpoints} />}
              </Answered>
            ) : (
              <Attention rows={[]} endpoints={endpoints} />
            )}
          </Sheet>
        )}
        <May permissions={['READ_WALLET']}>
          <Sheet title="Balances" actions={<Link href="/wallet">Wallet</Link>}>
            <Answered {...balances} onRetry={refresh}>
              {({ walletBalances }) => <Balances rows={walletBalances} />}
            </Answered>
          </Sheet>
        </May>
      </div>
      {isRead && (
        <Sheet title="Newest payments" actions={<Link href="/payments">All payments</Link>}>
          <Answered {...payments} onRetry={refresh}>
            {({ newest }) =>
              newest.nodes.length === 0 ? (
                <Empty title="No payments yet.">The newest five are shown here.</Empty>
              ) : (
                <PaymentTable label="Newest payments" rows={newest.nodes} />
              )
            }
          </Answered>
        </Sheet>
      )}
    </>
  );
}

interface RangeChoiceProps {
  readonly range: Range;
  readonly onChange: (days: string) => void;
}

function RangeChoice({ range, onChange }: RangeChoiceProps): ReactNode {
  return (
    <fieldset className="segments">
      <legend className="unseen">Time, compared with as long a time before it</legend>
      {RANGES.map((days) => (
        <label key={days} title={RANGE_WORDS[days][1]}>
          <input
            type="radio"
            className="unseen"
            name="days"
            value={days}
            checked={range.days === days}
            aria-label={RANGE_WORDS[days][1]}
            onChange={() => onChange(String(days))}
          />
          {RANGE_WORDS[days][0]}
        </label>
      ))}
    </fieldset>
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

/** A part of the page, once its data is there. */
function Answered<Data>({ data, error, lines = 3, onRetry, children }: AnsweredProps<Data>): ReactNode {
  const drawn = useDrawn(data);
  if (error) return <Problem error={error} onRetry={onRetry} />;
  return drawn === undefined ? <Loading lines={lines} /> : children(drawn);
}

interface VolumeProps {
  readonly range: Range;
  readonly report: IncomeQuery['report'];
  /** Nothing until it is known. */
  readonly before: IncomeQuery['report'] | undefined;
}

function Volume({ range, report: { rows, totals }, before }: VolumeProps): ReactNode {
  if (totals.length === 0)
    return <Empty title="Nothing was paid in this time.">Once money arrives, it is shown here.</Empty>;
  return (
    <AssetChart
      title="Received"
      labelTitle={range.unit === 'DAY' ? 'Day (UTC)' : 'Month (UTC)'}
      periods={range.now.periods}
      {...{ totals, rows }}
      {...(before && { before: { rows: before.rows, periods: range.before.periods } })}
    />
  );
}
