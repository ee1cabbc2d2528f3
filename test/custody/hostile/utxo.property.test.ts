// Random histories of payouts on a hostile UTXO chain (Litecoin); hold-histories.fixture.ts says what must hold.

import { describeWithLitecoind } from '../../support/litecoind.ts';
import { holdHistories } from './hold-histories.fixture.ts';
import { openHostileUtxo } from './utxo.fixture.ts';

/** `HOSTILE_UTXO_RUNS` sets a larger number of runs. */
const numRuns = Number(process.env['HOSTILE_UTXO_RUNS'] ?? 3);

describeWithLitecoind('on a real litecoind', () => {
  holdHistories({ kind: 'utxo', numRuns, open: openHostileUtxo });
});
