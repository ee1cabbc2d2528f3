// The plugin's arithmetic is exact where PHP's floats are not: compared with bigint on many random amounts.

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../../support/sources.ts';
import { isInstalled } from '../../examples/receiver-programs.fixture.ts';

const FILE = join(ROOT, 'plugins/woocommerce/src/Decimals.php');
const CODE = `define('ABSPATH', '/'); require $argv[1];
foreach (json_decode(stream_get_contents(STDIN)) as [$method, $arguments]) {
    $answers[] = call_user_func_array(['Turnpike\\WooCommerce\\Decimals', $method], $arguments);
}
echo json_encode($answers);`;

type Call = readonly [method: string, args: readonly (string | number)[]];

/** Answers of the class, in one run of PHP. */
function ask(calls: readonly Call[]): unknown[] {
  return JSON.parse(execFileSync('php', ['-r', CODE, FILE], { input: JSON.stringify(calls), encoding: 'utf8' }));
}

const SCALE = 12;
const UNIT = 10n ** BigInt(SCALE);
/** An amount of so many units of 10⁻¹², or of another power of ten, with its zeros. */
const written = (units: bigint, scale = SCALE): string =>
  `${units / 10n ** BigInt(scale)}.${String(units % 10n ** BigInt(scale)).padStart(scale, '0')}`;
const plain = (text: string): string => text.replace(/\.?0+$/, '');

if (isInstalled('php'))
  describe('decimals', () => {
    it.each([
      [['plain', ['049.90']], '49.9'],
      [['plain', ['0.00']], '0'],
      [['plain', ['100']], '100'],
      [['compare', ['10', '9.99']], 1],
      [['compare', ['0.10', '.1']], 0],
      [['compare', ['99999999999999999998', '99999999999999999999']], -1],
      [['subtract', ['1', '0.000001']], '0.999999'],
      [['subtract', ['1', '2']], '0'],
      [['multiply', ['1.50', '0.2']], '0.3'],
      [['multiply', ['0.00', '99999999999999999999']], '0'],
      [['divide', ['10.00', '0.925462962963', 6]], '10.805402'],
      [['divide', ['49.90', '55000', 8]], '0.00090727'],
      [['divide', ['0', '3', 8]], '0'],
    ] as const)('%j', (call, answer) => {
      expect(ask([call])).toEqual([answer]);
    });

    it('agree with whole numbers of any size', () => {
      const amount = fc.bigInt({ min: 1n, max: 10n ** 24n });
      const pairs = fc.sample(fc.tuple(amount, amount), 300);
      const quotients = pairs.map(([a, b]) => plain(written((a * UNIT) / b)));
      expect(ask(pairs.map(([a, b]) => ['divide', [written(a), written(b), SCALE]]))).toEqual(quotients);
      const products = pairs.map(([a, b]) => plain(written(a * b, 2 * SCALE)));
      expect(ask(pairs.map(([a, b]) => ['multiply', [written(a), written(b)]]))).toEqual(products);
      const rests = pairs.map(([a, b]) => (a > b ? plain(written(a - b)) : '0'));
      expect(ask(pairs.map(([a, b]) => ['subtract', [written(a), written(b)]]))).toEqual(rests);
    });
  });
else
  it('without PHP this is left to CI', () => {
    expect(process.env['CI']).not.toBe('true');
  });
