// What the signatures of a spend commit to, compared with @scure/btc-signer for random spends.

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { OutScript, SigHash, Transaction } from '@scure/btc-signer';
import fc from 'fast-check';
import { hash160 } from '../../../src/chain/utxo/address.ts';
import { taprootDigests, witnessDigests } from '../../../src/chain/utxo/digests.ts';

const bytes = (length: number) => fc.uint8Array({ minLength: length, maxLength: length });
const amount = fc.bigInt({ min: 0n, max: 2_100_000_000_000_000n });
const script = fc.oneof(
  bytes(20).map((hash) => OutScript.encode({ type: 'wpkh', hash })),
  bytes(20).map((hash) => OutScript.encode({ type: 'pkh', hash })),
  bytes(20).map((hash) => OutScript.encode({ type: 'sh', hash })),
  bytes(32).map((hash) => OutScript.encode({ type: 'wsh', hash })),
);
const input = fc.record({
  txid: bytes(32),
  index: fc.nat(0xffff_ffff),
  sequence: fc.nat(0xffff_ffff),
  witnessUtxo: fc.record({ script, amount }),
  publicKey: bytes(33),
});
const spend = fc.record({
  version: fc.constantFrom(1, 2),
  lockTime: fc.nat(0xffff_ffff),
  inputs: fc.uniqueArray(input, {
    minLength: 1,
    maxLength: 30,
    selector: ({ txid }) => Buffer.from(txid).toString('hex'),
  }),
  outputs: fc.array(fc.record({ script, amount }), { minLength: 1, maxLength: 5 }),
});
type Spend = typeof spend extends fc.Arbitrary<infer Value> ? Value : never;

function build({ version, lockTime, inputs, outputs }: Spend): Transaction {
  const transaction = new Transaction({ version, lockTime, allowUnknownOutputs: true });
  for (const { publicKey: _, ...one } of inputs) transaction.addInput(one);
  for (const one of outputs) transaction.addOutput(one);
  return transaction;
}

const spentOf = ({ inputs }: Spend) => inputs.map(({ witnessUtxo, publicKey }) => ({ ...witnessUtxo, publicKey }));

const hex = (digest: Uint8Array): string => Buffer.from(digest).toString('hex');

describe('the digest of each input is that of the library', () => {
  it('of P2WPKH (BIP-143)', () => {
    fc.assert(
      fc.property(spend, (given) => {
        const transaction = build(given);
        const spent = spentOf(given);
        const digest = witnessDigests(transaction, spent);
        for (const [position, { amount: units, publicKey }] of spent.entries()) {
          const code = OutScript.encode({ type: 'pkh', hash: Uint8Array.from(hash160(publicKey)) });
          expect(hex(digest(position))).toBe(hex(transaction.preimageWitnessV0(position, code, SigHash.ALL, units)));
        }
      }),
    );
  });

  it('of a P2TR key (BIP-341)', () => {
    fc.assert(
      fc.property(spend, (given) => {
        const transaction = build(given);
        const spent = spentOf(given);
        const scripts = spent.map((one) => one.script);
        const amounts = spent.map((one) => one.amount);
        const digest = taprootDigests(transaction, spent);
        for (const position of spent.keys())
          expect(hex(digest(position))).toBe(
            hex(transaction.preimageWitnessV1(position, scripts, SigHash.DEFAULT, amounts)),
          );
      }),
    );
  });
});

it('a digest of an input that the spend lacks is none', () => {
  const witnessUtxo = { script: OutScript.encode({ type: 'wpkh', hash: randomBytes(20) }), amount: 1n };
  const transaction = build({ version: 2, lockTime: 0, inputs: [], outputs: [witnessUtxo] });
  expect(() => witnessDigests(transaction, [])(0)).toThrow('There is no input 0');
});
