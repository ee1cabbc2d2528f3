// Which functions of src/database/queries have run, so that a new statement cannot be left out of the paths unnoticed.

import { Session } from 'node:inspector/promises';
import { readSources } from '../../../support/sources.ts';

/** Functions that no path runs, each file or function with the reason. */
export const NOT_ON_A_PATH: Readonly<Record<string, string>> = {
  cells: 'in the database of the directory, by its key, or a batch by cell and age; people a thousand at a time, by id',
  'chain/address-ranges.ts#voidRanges': 'once for each copy of the database',
  'chain/gap-arrivals.ts': 'by the operator',
  'chain/gap.ts': 'during a recovery',
  'cluster-identity.ts': 'one row, and a row for each restart',
  'console-files.ts': 'once a start, and by the key of each',
  'control/operator-actions.ts': 'by the operator',
  'control/operator-log.ts': 'by the operator',
  'customers/erase-customer.ts#lockAnswersWith': 'reads what is kept of a merchant for two days, at an erasure',
  'customers/erase-customer.ts#replaceAnswers': 'by the key of each',
  'deployment.ts': 'one row',
  'ledger/holdings.ts#beginHoldings': 'during a recovery, which reads all transactions',
  'ledger/fiat-sums.ts': 'reads all of its period, as the report does',
  'ledger/report.ts': 'reads all of its period, which may be the whole book',
  'ledger/suspense.ts': 'by the operator',
  'ledger/verify-ledger.ts#findLedgerFaults': 'reads the whole book, once a week',
  'page-limit.ts': 'no statement',
  'payouts/freezes.ts#insertFreeze': 'by the operator',
  'payouts/freezes.ts#liftFreeze': 'by the operator',
  'payouts/known-outputs.ts': 'reads every output, for the comparison of networks with outputs',
  'payouts/obstacles.ts#lockForRecovery': 'during a recovery',
  'payouts/open-payouts.ts#readPaymentUrl': 'by the operator',
  'payouts/paid-candidates.ts': 'during a recovery',
  'payouts/rebuild.ts': 'during a recovery',
  'payouts/signing-state.ts#recordRecovery': 'during a recovery',
  'rates/sandbox-rates.ts': 'in the sandbox: one row',
  server: 'no table of ours',
  'text-key.ts': 'no statement',
  'walk.ts#walkOf': 'a part of statements, once for each',
  'webhooks/endpoint-failures.ts#countAttempts': 'before an endpoint is disabled: reads the attempts of days',
  'webhooks/receivers.ts': 'by the doctor',
};

const FOLDER = 'src/database/queries/';

/** All exported functions, as `file#function` below src/database/queries. */
export function exportedFunctions(): string[] {
  return readSources('src')
    .filter(({ path }) => path.startsWith(FOLDER))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export (?:async )?function (\w+)/gm)].map(
        ([, name]) => `${path.slice(FOLDER.length)}#${name}`,
      ),
    );
}

/** Whether the table has a reason for a function: by itself, or by its file or folder. */
export function reasonFor(name: string): string | undefined {
  return Object.keys(NOT_ON_A_PATH).find(
    (key) => name === key || name.startsWith(`${key}#`) || name.startsWith(`${key}/`),
  );
}

/** Notes which functions run from now on; the function that it returns ends that and answers with them. */
export async function watchCalls(): Promise<() => Promise<ReadonlySet<string>>> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return async () => {
    const { result } = await session.post('Profiler.takePreciseCoverage');
    session.disconnect();
    const called = result.flatMap(({ url, functions }) => {
      const file = /\/src\/database\/queries\/(.+)\.js$/.exec(url)?.[1];
      if (file === undefined) return [];
      const run = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
      return run.map(({ functionName }) => `${file}.ts#${functionName}`);
    });
    return new Set(called);
  };
}
