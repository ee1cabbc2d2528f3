// The figures at the top: what came in, how many paid, which share, and what waits; each beside the time before.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { counted, MOST_COUNTED, sum, written } from '../../amounts.ts';
import { Change, Growth } from '../../components/charts/change.tsx';
import { useFailingEndpoints } from '../../components/frame/navigation-counts.tsx';
import type { HomeCountsQuery, IncomeQuery } from '../../generated/operations.ts';

const FIGURE_SPACE = '\u2007';

type Totals = IncomeQuery['report']['totals'];

interface FigureProps {
  readonly name: string;
  /** Nothing until it is known: the place is as large before as afterwards. */
  readonly value?: ReactNode;
  readonly note?: ReactNode;
}

function Figure({ name, value = FIGURE_SPACE, note = FIGURE_SPACE }: FigureProps): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>
        {value} <small>{note}</small>
      </dd>
    </div>
  );
}

export function CountFigures({ counts }: { readonly counts: HomeCountsQuery | undefined }): ReactNode {
  const failing = useFailingEndpoints().length;
  if (!counts)
    return (
      <>
        <Figure name="Paid" />
        <Figure name="Success rate" />
        <Figure name="Needs attention" />
      </>
    );
  const { all, now, before } = counts;
  const [rate, rateBefore] = [now.successRate ?? null, before.successRate ?? null];
  const isCounted = now.paid < MOST_COUNTED && before.paid < MOST_COUNTED;
  return (
    <>
      <Figure
        name="Paid"
        value={counted(now.paid)}
        note={isCounted ? <Change by={now.paid - before.paid} unit="" /> : 'payments'}
      />
      <Figure
        name="Success rate"
        value={rate === null ? '–' : `${(100 * rate).toFixed(1)} %`}
        note={
          rate === null
            ? 'nothing has ended yet'
            : rateBefore !== null && <Change by={100 * (rate - rateBefore)} unit=" points" />
        }
      />
      <Figure
        name="Needs attention"
        value={<Link href="/payments?view=attention">{counted(all.waiting)}</Link>}
        note={
          <>
            <Link href="/payments?view=open">{counted(all.open)} open</Link>
            {failing > 0 && (
              <>
                {', '}
                <Link href="/webhooks">
                  {failing} {failing === 1 ? 'endpoint' : 'endpoints'} failing
                </Link>
              </>
            )}
          </>
        }
      />
    </>
  );
}

interface ReceivedProps {
  readonly now: Totals | undefined;
  readonly before: Totals | undefined;
}

export function ReceivedFigure({ now, before }: ReceivedProps): ReactNode {
  if (!now) return <Figure name="Received" />;
  const worth = worthOf(now);
  const first = now.toSorted((a, b) => b.payments - a.payments)[0];
  if (!first) return <Figure name="Received" value="–" note="nothing yet" />;
  const shown = worth ?? { value: first.gross, unit: first.currency };
  const others = worth === null ? now.length - 1 : 0;
  const sameBefore = before && (worth ? worthOf(before) : grossOf(before, first));
  const isLike = sameBefore?.unit === shown.unit;
  return (
    <Figure
      name="Received"
      value={
        <>
          {written(shown.value, shown.unit)} <span className="currency">{shown.unit}</span>
        </>
      }
      note={
        <>
          {isLike && <Growth from={sameBefore.value} to={shown.value} />}{' '}
          {others > 0 && `and ${String(others)} more ${others === 1 ? 'asset' : 'assets'}`}
        </>
      }
    />
  );
}

interface Worth {
  readonly value: string;
  readonly unit: string;
}

/** What all of it is worth, where the gateway values it whole and in one currency. */
function worthOf(totals: Totals): Worth | null {
  const unit = totals[0]?.fiatCurrency ?? null;
  if (unit === null || totals.some(({ fiatCurrency, fiatGross }) => fiatCurrency !== unit || fiatGross == null))
    return null;
  return { unit, value: totals.reduce((all, { fiatGross }) => sum(all, fiatGross ?? '0'), '0') };
}

function grossOf(totals: Totals, { currency, network }: Totals[number]): Worth {
  const same = totals.find((one) => one.currency === currency && one.network === network);
  return { unit: currency, value: same?.gross ?? '0' };
}
