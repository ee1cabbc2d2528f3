// The keys of cells: from one seed each cell has accounts of its own, on every kind of chain, and cell 0 those that a
// deployment without cells has.

import { afterEach, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { accountPath, accountPaths, pooledPaths } from '../../../src/custody/keys/account-keys.ts';
import { accountNumberOf } from '../../../src/chain/extended-key.ts';
import { accountKey } from '../../../src/custody/keys/account-keys.ts';
import { accountPathOf } from '../../../src/chain/utxo/derive.ts';
import { useCell } from '../../../src/values/cells/own-cell.ts';

afterEach(() => useCell(null));

const INDEXES = [0, 1, 2, 7, 2 ** 31 - 1];

/** The paths of the first addresses and wallets of a cell, on every kind of chain. */
function pathsOf(cell: number | null): string[] {
  useCell(cell === null ? null : { cell, since: 0 });
  const bases = [
    ...[accountPath('evm'), accountPath('tron')],
    ...(['P2WPKH', 'P2TR'] as const).map((type) => accountPathOf('BTC', 'main', type)),
    accountPathOf('LTC', 'main', 'P2WPKH'),
  ];
  const accounts = [...bases.map(accountPaths), pooledPaths('sol')];
  return accounts.flatMap(({ deposit, wallet }) => INDEXES.flatMap((index) => [deposit(index), wallet(index)]));
}

it('no two cells share a path, and no two addresses of one do', () => {
  const cell = fc.integer({ min: 0, max: 999 });
  fc.assert(
    fc.property(cell, cell, (one, other) => {
      const paths = [...pathsOf(one), ...(one === other ? [] : pathsOf(other))];
      expect(new Set(paths).size).toBe(paths.length);
    }),
  );
});

it('cell 0 has the accounts of a deployment without cells', () => {
  expect(pathsOf(0)).toEqual(pathsOf(null));
  expect(pathsOf(0).slice(0, 2)).toEqual(["m/44'/60'/0'/0/0", "m/44'/60'/0'/1/0"]);
});

it('cell 7 has account 7, and its own two chains where the account is the number of an address', () => {
  const paths = pathsOf(7);
  expect(paths.slice(0, 2)).toEqual(["m/44'/60'/7'/0/0", "m/44'/60'/7'/1/0"]);
  expect(paths).toEqual(expect.arrayContaining(["m/84'/0'/7'/0/0", "m/86'/0'/7'/0/0", "m/84'/2'/7'/0/0"]));
  expect(paths).toEqual(expect.arrayContaining(["m/44'/501'/2'/14'", "m/44'/501'/2'/15'"]));
});

it('an extended public key says which account it is of', () => {
  for (const cell of [0, 7, 999]) {
    useCell({ cell, since: 0 });
    expect(accountNumberOf(accountKey(new Uint8Array(64).fill(1), accountPath('evm')).xpub)).toBe(cell);
  }
});
