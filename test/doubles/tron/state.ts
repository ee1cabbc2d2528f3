// The accounts and tokens of TRON's double at one block, and what a transaction does to them. It charges as the network
// does: bytes of bandwidth, energy up to the fee limit, and the price of new accounts.

import type { Decoded } from './protobuf.ts';

/** Prices of the main network, in sun. */
export const PRICES = {
  getTransactionFee: 1_000,
  getEnergyFee: 100,
  getCreateAccountFee: 100_000,
  getCreateNewAccountFeeInSystemContract: 1_000_000,
} as const;

/** The energy of USDT transfers: to a holder, and to an address that holds none. */
export const ENERGY = { toHolder: 64_285, toOthers: 130_285 } as const;
const RESULT_BYTES = 64;
const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Addresses are hex of 21 bytes. */
export interface State {
  /** The addresses in it are accounts. */
  readonly coins: Map<string, bigint>;
  readonly tokens: Map<string, Token>;
}

export interface Token {
  readonly decimals: number;
  readonly balances: Map<string, bigint>;
  /** The addresses that may neither send nor receive. */
  readonly barred: ReadonlySet<string>;
  /** A part of each transfer that goes to the owner, as USDT can do. */
  readonly fee?: { readonly basisPoints: bigint; readonly owner: string };
}

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The result of a transaction in a block; `refused` ones enter no block. */
export type Outcome =
  | { readonly refused: { readonly code: string; readonly message: string } }
  | {
      readonly refused?: never;
      readonly contractRet: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY';
      readonly fee: number;
      readonly energy: number;
      readonly logs: readonly Log[];
    };

export function copyState({ coins, tokens }: State): State {
  const copyToken = (token: Token): Token => ({ ...token, balances: new Map(token.balances) });
  return {
    coins: new Map(coins),
    tokens: new Map([...tokens].map(([contract, token]) => [contract, copyToken(token)])),
  };
}

const refuse = (code: string, message: string): Outcome => ({ refused: { code, message } });
const invalid = (message: string) => refuse('CONTRACT_VALIDATE_ERROR', `Contract validate error : ${message}`);

/** Executes a transaction whose signature and time are valid. A refused one changes nothing. */
export function execute(state: State, transaction: Decoded): Outcome {
  const { action, size } = transaction;
  const held = state.coins.get(action.owner);
  if (held === undefined) return invalid('Validate TransferContract error, no OwnerAccount.');
  const bandwidth = BigInt((size + RESULT_BYTES) * PRICES.getTransactionFee);
  if (action.type === 'TriggerSmartContract') return call(state, transaction, held, bandwidth);
  if (action.amount <= 0) return invalid('Amount must be greater than 0.');
  if (action.to === action.owner) return invalid('Cannot transfer TRX to yourself.');
  if (state.tokens.has(action.to)) return invalid('Cannot transfer TRX to a smartContract.');
  const isNew = !state.coins.has(action.to);
  const activation = isNew ? BigInt(PRICES.getCreateNewAccountFeeInSystemContract) : 0n;
  const resources = isNew ? BigInt(PRICES.getCreateAccountFee) : bandwidth;
  const amount = action.type === 'TransferContract' ? BigInt(action.amount) : 0n;
  if (held < amount + activation) return invalid('Validate TransferContract error, balance is not sufficient.');
  if (held < amount + activation + resources) return refuse('BANDWITH_ERROR', 'Account resource insufficient error.');
  state.coins.set(action.owner, held - amount - activation - resources);
  state.coins.set(action.to, (state.coins.get(action.to) ?? 0n) + amount);
  return { contractRet: 'SUCCESS', fee: Number(activation + resources), energy: 0, logs: [] };
}

function call(state: State, { action, feeLimit }: Decoded, held: bigint, bandwidth: bigint): Outcome {
  if (action.type !== 'TriggerSmartContract') throw new Error('not a call');
  const { owner, contract, data } = action;
  if (!state.tokens.has(contract)) return invalid('No contract or not a valid smart contract');
  if (held < bandwidth) return refuse('BANDWITH_ERROR', 'Account resource insufficient error.');
  const trial = runTransfer(copyState(state), owner, contract, data);
  const price = BigInt(PRICES.getEnergyFee);
  const limit = [BigInt(feeLimit), held - bandwidth].reduce((a, b) => (a < b ? a : b));
  const isEnough = BigInt(trial.energy) * price <= limit;
  const burnt = isEnough ? BigInt(trial.energy) * price : limit;
  state.coins.set(owner, held - bandwidth - burnt);
  const fee = Number(bandwidth + burnt);
  if (!isEnough) return { contractRet: 'OUT_OF_ENERGY', fee, energy: Number(burnt / price), logs: [] };
  if (trial.failed) return { contractRet: 'REVERT', fee, energy: trial.energy, logs: [] };
  const { logs, energy } = runTransfer(state, owner, contract, data);
  return { contractRet: 'SUCCESS', fee, energy, logs };
}

/** `transfer(address,uint256)`; anything else fails. */
export function runTransfer(state: State, owner: string, contract: string, data: string) {
  const token = state.tokens.get(contract);
  const to = `41${data.slice(32, 72)}`;
  const amount = BigInt(`0x${data.slice(72, 136) || '0'}`);
  const held = token?.balances.get(owner) ?? 0n;
  const isBarred = token?.barred.has(owner) === true || token?.barred.has(to) === true;
  const energy = token?.balances.has(to) ? ENERGY.toHolder : ENERGY.toOthers;
  if (!token || !data.startsWith('a9059cbb') || data.length !== 136 || held < amount || isBarred)
    return { failed: true, energy: 5_000, logs: [] };
  const kept = token.fee ? (amount * token.fee.basisPoints) / 10_000n : 0n;
  const word = (text: string) => text.padStart(64, '0');
  const move = (receiver: string, units: bigint): Log => {
    token.balances.set(receiver, (token.balances.get(receiver) ?? 0n) + units);
    const topics = [TRANSFER_TOPIC, word(owner.slice(2)), word(receiver.slice(2))];
    return { address: contract.slice(2), topics, data: word(units.toString(16)) };
  };
  token.balances.set(owner, held - amount);
  const logs = [move(to, amount - kept)];
  if (token.fee && kept > 0n) logs.push(move(token.fee.owner, kept));
  return { failed: false, energy, logs };
}
