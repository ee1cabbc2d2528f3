// Compares custody in a process of its own, whose peak memory is that of the comparison.

import { pino } from 'pino';
import type { AccountAdapter } from '../../src/chain/adapter.ts';
import { createEvmAdapter } from '../../src/chain/evm/adapter.ts';
import { connectDatabase, query, type Database } from '../../src/database/connection.ts';
import { compareInSlices } from '../../src/domain/ledger/read-custody.ts';
import { compare, compareCustody, type CustodyComparison } from '../../src/domain/ledger/reconciliation.ts';
import { sliceSizeFor } from '../../src/observe/reconcile-balances.ts';
import { TOKEN } from './chain.ts';

/** The first message from the parent. */
export interface CustodyTask {
  readonly databaseUrl: string;
  readonly rpcUrl: string;
  /**
   * The readings of one comparison, after those of the first pass if it was not made; the whole at one block, which is
   * the command's; or as comparisons were made before, with every address that ever had a deposit.
   */
  readonly kind: 'readings' | 'whole' | 'before';
}

/** The answer: the time and the growth of the process's peak memory, or what went wrong. */
export type CustodyAnswer = { readonly ms: number; readonly peakMb: number } | { readonly error: string };

/** How many addresses were asked for at a time before. */
const ASKED = 100;
/** The interval of live deployments, which the size of slices follows from. */
const EVERY_MS = 5 * 60_000;

async function measure({ databaseUrl, rpcUrl, kind }: CustodyTask): Promise<CustodyAnswer> {
  const log = pino({ level: 'silent' });
  const db = await connectDatabase({ url: databaseUrl, poolMax: 2, log });
  const contracts = new Map([['ETH', null] as const, ['USDT', TOKEN] as const]);
  const shared = { network: 'ETH', rpcUrl, chainId: 31_337, contracts, minesOnDemand: false } as const;
  const adapter = createEvmAdapter({ ...shared, timeoutMs: 60_000, log });
  const compareReadings = async (): Promise<CustodyComparison | null> => {
    const sliceSize = (addresses: number) => sliceSizeFor(addresses, EVERY_MS);
    for (;;) {
      const comparison = await compareInSlices(db, adapter, { sliceSize });
      if (comparison !== 'reading') return comparison;
    }
  };
  const compared = {
    readings: compareReadings,
    whole: () => compareCustody(db, adapter),
    before: () => compareAsBefore(db, adapter),
  };
  try {
    await adapter.tip();
    const before = process.resourceUsage().maxRSS;
    const startedMs = performance.now();
    const wrong = wrongIn(await compared[kind]());
    const ms = performance.now() - startedMs;
    if (wrong !== null) return { error: `${kind}: custody is not what the chain holds: ${wrong}` };
    return { ms, peakMb: (process.resourceUsage().maxRSS - before) / 1_024 };
  } finally {
    await db.close();
  }
}

/** The lines of a comparison in words if one is wrong; null if it holds. */
function wrongIn(comparison: CustodyComparison | null): string | null {
  if (!comparison) return 'not at one block';
  if (comparison.lines.every(({ book, chain }) => book === chain)) return null;
  return comparison.lines.map(({ currency, book, chain }) => `${currency} ${String(book)}/${String(chain)}`).join(', ');
}

/** With the statement that found the addresses before: all of them at once, in memory. */
function compareAsBefore(db: Database, adapter: AccountAdapter): Promise<CustodyComparison | null> {
  return compare(db, adapter, {
    plan: (em) =>
      query<{ key: string }>(
        em,
        `select key, bool_and(quiet) as quiet from (
           select p.address_key as key, false as quiet from payment p
           where p.id in (select payment_id from deposit where network = $1)
           union all select address_key, false from sender where network = $1
           union all select address_key, false from stray_address where network = $1
           union all select address_key, true from payment
           where network = $1 and status in ('PENDING', 'PARTIALLY_PAID', 'CONFIRMING')
         ) as part group by key order by key`,
        [adapter.network],
      ),
    read: async ({ height }, addresses) => {
      const sums = new Map<string, bigint>();
      for (const currency of adapter.contracts.keys())
        for (let first = 0; first < addresses.length; first += ASKED) {
          const keys = addresses.slice(first, first + ASKED).map(({ key }) => key);
          for (const units of (await adapter.balances(keys, currency, height)).values())
            sums.set(currency, (sums.get(currency) ?? 0n) + units);
        }
      return sums;
    },
  });
}

process.once('message', (task: CustodyTask) => {
  void measure(task)
    .catch((error: unknown): CustodyAnswer => ({ error: error instanceof Error ? String(error.stack) : String(error) }))
    .then((answer) => process.send?.(answer, () => process.disconnect()));
});
