// Read-only calls of TRC-20 contracts: balances, decimals, and the energy that a transfer would use.

import type { Network } from '../../values/assets.ts';
import { TransactionRefused } from '../errors.ts';
import { bytesOfAddress, hexOfAddress } from './address.ts';
import type { TronNode } from './node.ts';
import { fieldsOf, hexOf, integerOf, listOf, type Fields } from './rpc-types.ts';

const word = (hex: string): string => hex.padStart(64, '0');
/** An address as a contract argument: its 20 bytes, without the prefix. */
const wordOf = (key: string): string => word(bytesOfAddress(key).subarray(1).toString('hex'));

/** transfer(address,uint256) of TRC-20. */
export function transferCall(to: string, amount: bigint): Buffer {
  return Buffer.from(`a9059cbb${wordOf(to)}${word(amount.toString(16))}`, 'hex');
}

/** balanceOf(address) of TRC-20. */
export function balanceCall(holder: string): Buffer {
  return Buffer.from(`70a08231${wordOf(holder)}`, 'hex');
}

/** decimals() of TRC-20. */
export const DECIMALS_CALL = Buffer.from('313ce567', 'hex');

interface Call {
  readonly owner: string;
  readonly contract: string;
  readonly data: Buffer;
}

/** The word that a call returns; null if it returns anything else, or fails. */
export async function readWord(node: TronNode, call: Call): Promise<bigint | null> {
  const answer = await run(node, call);
  const [word] = failureOf(answer) === null ? listOf(answer.constant_result ?? [], 'results') : [];
  return typeof word === 'string' && /^[0-9a-f]{64}$/i.test(word) ? BigInt(`0x${word}`) : null;
}

/** The energy that a call uses, including the penalty on busy contracts. Throws `REVERTED` if it would fail. */
export async function estimateEnergy(node: TronNode, network: Network, call: Call): Promise<bigint> {
  const answer = await run(node, call);
  const failure = failureOf(answer);
  if (failure !== null) throw new TransactionRefused(network, 'REVERTED', { cause: new Error(failure) });
  return BigInt(integerOf(answer.energy_used, 'energy'));
}

async function run(node: TronNode, { owner, contract, data }: Call): Promise<Fields> {
  const answer = await node.ask('triggerconstantcontract', {
    ...{ owner_address: hexOfAddress(owner), contract_address: hexOfAddress(contract), data: data.toString('hex') },
  });
  const { result, code, message } = fieldsOf(answer.result, 'result');
  // The node could not run the call, which does not mean that it would revert.
  if (result !== true) node.fail(`the node did not call ${contract}: ${String(code)} ${textOf(message)}`);
  return answer;
}

/** Why the contract reverted; null if it did not. The request itself counts as successful either way. */
function failureOf(answer: Fields): string | null {
  const [outcome] = listOf(fieldsOf(answer.transaction, 'transaction').ret ?? [], 'outcomes');
  const isFailed = outcome !== undefined && fieldsOf(outcome, 'outcome').ret === 'FAILED';
  const { message } = fieldsOf(answer.result, 'result');
  return isFailed || message !== undefined ? textOf(message) || 'it failed' : null;
}

/** Decodes a message from the node, which is mostly text in hex. */
export function textOf(message: unknown): string {
  if (typeof message !== 'string') return '';
  const isHex = message.length > 0 && /^(?:[0-9a-f]{2})*$/i.test(message);
  return (isHex ? Buffer.from(hexOf(message, 'message'), 'hex').toString() : message).slice(0, 200);
}
