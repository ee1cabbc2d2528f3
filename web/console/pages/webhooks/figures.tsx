// The figures of an endpoint: how many attempts succeeded, how long they took, and the last that failed.

import type { ReactNode } from 'react';
import type { StatisticsRowFragment } from '../../generated/operations.ts';
import { Time } from '../../components/time.tsx';

/** As a percentage that never rounds a failure away. */
export function rateOf(rate: number | null): string {
  if (rate === null) return '–';
  const percent = Math.floor(rate * 1_000) / 10;
  return `${percent.toLocaleString(undefined, { maximumFractionDigits: 1 })} %`;
}

export const millisecondsOf = (ms: number | null): string => (ms === null ? '–' : `${ms.toLocaleString()} ms`);

/** "500", or why there was no answer. */
export function failureWords({ responseCode, error }: NonNullable<StatisticsRowFragment['lastFailure']>): string {
  return responseCode === null ? (error ?? 'No answer') : `Answered ${String(responseCode)}`;
}

export function Figures({ statistics }: { readonly statistics: StatisticsRowFragment | undefined }): ReactNode {
  const { successRate = null, p95Ms = null, attempts = 0 } = statistics ?? {};
  return (
    <dl className="figures">
      <Figure name="Success, 24 h" value={rateOf(successRate)} />
      <Figure name="p95" value={millisecondsOf(p95Ms)} />
      <Figure name="Attempts" value={attempts.toLocaleString()} />
    </dl>
  );
}

export function Figure({ name, value }: { readonly name: string; readonly value: string }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}

export function LastFailure({ statistics }: { readonly statistics: StatisticsRowFragment | undefined }): ReactNode {
  const failure = statistics?.lastFailure;
  if (!failure) return null;
  return (
    <p className="last-failure">
      <span className="quietly">Last error</span> {failureWords(failure)}
      <span className="quietly">
        , <Time value={failure.at} />
      </span>
    </p>
  );
}
