// Pays on UTXO networks: fee rates, dust limits, sizes and unsigned transactions, built with @scure/btc-signer. No key
// is ever here: digests go out, signatures come in.

import { SigHash, Transaction } from '@scure/btc-signer';
import type { Network } from '../../values/assets.ts';
import { PriceTooHigh } from '../errors.ts';
import type { Fees, PaidOutput, Signature, SpentOutput, UnsignedTransaction } from '../transactions.ts';
import { parseUtxoAddress, witnessOf } from './address.ts';
import type { AddressType } from './derive.ts';
import type { ChainParams, UtxoParams } from './params.ts';
import { taprootDigests, witnessDigests } from './digests.ts';
import { readOutpoint, type Source } from './source.ts';

export interface SendDeps {
  readonly network: Network;
  readonly params: UtxoParams;
  readonly chain: ChainParams;
  readonly source: Source;
  readonly addressType: AddressType;
  readonly minFeeRate: bigint;
  readonly maxFeeRate: bigint;
}

/** The sequence that allows replacement by a higher fee (BIP-125). */
const REPLACEABLE = 0xffff_fffd;
/** Version, lock time, the two counts, and marker and flag, in weight units (BIP-141). */
const OVERHEAD_WEIGHT = 4 * (4 + 4 + 3 + 3) + 2;
/** Outpoint, sequence and an empty script; the witness is a 72-byte signature and a key, or a 64-byte signature. */
const INPUT_WEIGHT: Readonly<Record<AddressType, number>> = {
  P2WPKH: 4 * 41 + 1 + 1 + 72 + 1 + 33,
  P2TR: 4 * 41 + 1 + 1 + 64,
};
/** The size of spending an output in the nodes' dust rule, where witness bytes count as a quarter. */
const SPEND_BYTES = { witness: 67n, other: 148n };

/**
 * The source's estimate, but at least its minimum, within our limits. A replacement offers a quarter more plus the step
 * that nodes require.
 */
export async function readFees(deps: SendDeps, above?: Fees): Promise<Fees> {
  const { estimate, least } = await deps.source.feeRates();
  const { minFeeRate, maxFeeRate, network, params } = deps;
  const max = (a: bigint, b: bigint) => (a > b ? a : b);
  const floor = max(least ?? 0n, minFeeRate);
  const current = max(estimate ?? 0n, floor);
  const needed = above ? max(floor, above.maxPerGas + above.maxPerGas / 4n + params.replacementStep) : floor;
  if (needed > maxFeeRate)
    throw new PriceTooHigh(network, `a byte costs more than the limit of ${String(maxFeeRate)} base units`);
  // If the estimate is above the limit, offer the limit; the transaction waits longer.
  const wanted = max(current, needed);
  return { maxPerGas: wanted < maxFeeRate ? wanted : maxFeeRate, tipPerGas: null };
}

/** Nodes do not relay an output worth less than creating and spending it costs at their dust rate. */
export function dustOf({ chain, params }: Pick<SendDeps, 'chain' | 'params'>, address: string): bigint {
  const script = scriptOf(chain, address);
  const spend = witnessOf(script) ? SPEND_BYTES.witness : SPEND_BYTES.other;
  return ((BigInt(outputBytes(script)) + spend) * params.dustPerKb) / 1_000n;
}

export function sizeOf({ chain, addressType }: SendDeps, inputs: number, recipients: readonly string[]): bigint {
  const outputs = recipients.reduce((sum, address) => sum + outputBytes(scriptOf(chain, address)), 0);
  const weight = OVERHEAD_WEIGHT + inputs * INPUT_WEIGHT[addressType] + 4 * outputs;
  return BigInt(Math.ceil(weight / 4));
}

/** Amount, length and script. */
const outputBytes = (script: Uint8Array): number => 8 + 1 + script.length;

export function buildSpend(
  { chain, addressType }: SendDeps,
  inputs: readonly SpentOutput[],
  outputs: readonly PaidOutput[],
): UnsignedTransaction {
  const transaction = new Transaction({ allowUnknownOutputs: true });
  const spent = inputs.map(({ addressKey, amount, publicKey }) => ({
    script: Uint8Array.from(Buffer.from(addressKey, 'hex')),
    amount,
    publicKey,
  }));
  for (const [position, { outpoint, amount }] of inputs.entries()) {
    const { txHash, index } = readOutpoint(outpoint);
    const script = spent[position]?.script ?? new Uint8Array();
    transaction.addInput({ txid: txHash, index, sequence: REPLACEABLE, witnessUtxo: { script, amount } });
  }
  for (const { to, amount } of outputs) transaction.addOutput({ script: Uint8Array.from(scriptOf(chain, to)), amount });
  const digestOf = addressType === 'P2TR' ? taprootDigests(transaction, spent) : witnessDigests(transaction, spent);
  return {
    toSign: inputs.map(({ addressKey }, position) => ({
      signer: addressKey,
      message: digestOf(position),
      ...(addressType === 'P2TR' ? { scheme: 'TAPROOT' as const } : {}),
    })),
    finish(signatures) {
      for (const [position, { publicKey }] of inputs.entries()) {
        const signature = signatures[position];
        if (!signature) throw new Error('A signature is missing');
        const part =
          addressType === 'P2TR'
            ? { tapKeySig: signature.compact }
            : { partialSig: [[publicKey, encodeSignature(signature)]] as [Uint8Array, Uint8Array][] };
        transaction.updateInput(position, part, true);
      }
      transaction.finalize();
      return { raw: transaction.hex, txHash: transaction.id };
    },
  };
}

/** DER followed by the hash type, with minimal integers (BIP-66). */
function encodeSignature({ compact }: Signature): Uint8Array {
  const integer = (bytes: Uint8Array): number[] => {
    const start = bytes.findIndex((byte) => byte !== 0);
    const digits = [...bytes.subarray(start < 0 ? bytes.length - 1 : start)];
    const padded = (digits[0] ?? 0) >= 0x80 ? [0, ...digits] : digits;
    return [0x02, padded.length, ...padded];
  };
  const body = [...integer(compact.subarray(0, 32)), ...integer(compact.subarray(32))];
  return Uint8Array.from([0x30, body.length, ...body, SigHash.ALL]);
}

function scriptOf(chain: ChainParams, address: string): Buffer {
  const parsed = parseUtxoAddress(chain, address);
  if (!parsed) throw new Error(`Not an address: ${address}`);
  return Buffer.from(parsed.key, 'hex');
}
