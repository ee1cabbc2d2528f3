// The attempts of a delivery as a strip, oldest first, and below it the answer of the chosen one.

import { useState, type ReactNode } from 'react';
import type { DeliveryRowFragment } from '../../generated/operations.ts';
import { Badge } from '../../components/badge.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { Empty } from '../../components/states.tsx';

type Attempt = DeliveryRowFragment['attemptLog'][number];

const isGood = ({ responseCode }: Attempt) => responseCode !== null && responseCode >= 200 && responseCode < 300;
const answerOf = ({ responseCode }: Attempt) => (responseCode === null ? 'No answer' : String(responseCode));

export function AttemptStrip({ attempts }: { readonly attempts: readonly Attempt[] }): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null);
  const shown = attempts.find(({ attempt }) => attempt === chosen) ?? attempts.at(-1);
  if (!shown) return <Empty title="Not tried yet." />;
  return (
    <>
      <ol className="strip" aria-label="Attempts">
        {attempts.map((attempt) => (
          <li key={attempt.attempt}>
            <button
              type="button"
              className={isGood(attempt) ? 'good' : 'bad'}
              aria-pressed={attempt === shown}
              aria-label={`Attempt ${String(attempt.attempt)}: ${answerOf(attempt)}`}
              onClick={() => setChosen(attempt.attempt)}
            >
              {attempt.responseCode ?? '–'}
            </button>
          </li>
        ))}
      </ol>
      <One attempt={shown} of={attempts.length} />
    </>
  );
}

function One({ attempt, of }: { readonly attempt: Attempt; readonly of: number }): ReactNode {
  const { at, url, responseTimeMs, responseStart, error } = attempt;
  return (
    <div className="answer">
      <p>
        <Badge tone={isGood(attempt) ? 'good' : 'bad'}>{answerOf(attempt)}</Badge> Attempt {attempt.attempt} of {of},{' '}
        <ExactTime value={at} />
        <span className="quietly below broken">
          {responseTimeMs} ms, {url}
        </span>
      </p>
      {error !== null && <p className="fault">{error}</p>}
      {responseStart !== null && responseStart !== '' && (
        <pre tabIndex={0} aria-label="Response body">
          {responseStart}
        </pre>
      )}
    </div>
  );
}
