// Pays on EVM networks: balances, nonces, fees, quotes, unsigned transactions, broadcasting and receipts.

import type { Hex, TransactionSerializable } from 'viem';
import { hexToBytes, keccak256, serializeTransaction } from 'viem/utils';
import { NETWORKS, type Network } from '../../values/assets.ts';
import type { AccountSender } from '../adapter.ts';
import type { BlockRef, Receipt } from '../blocks.ts';
import { PriceTooHigh, StateNotKept, TransactionRefused } from '../errors.ts';
import type { Fees, Quote, Signature, TransactionRequest } from '../transactions.ts';
import { dataFeeOf, readDataFee } from './data-fee.ts';
import { judgedQuote } from '../judged-quote.ts';
import { parseEvmAddress } from './address.ts';
import { createFinalityReader } from './finality.ts';
import type { EvmNetwork } from './networks.ts';
import { broadcastRejection, rejectionOf } from './rejections.ts';
import { RpcError, type Rpc } from './rpc.ts';
import { decodeBlock, decodeMoves } from './transfers.ts';
import type { WatchedAssets } from './watched-assets.ts';
import * as rpcTypes from './rpc-types.ts';

interface SenderDeps {
  readonly network: Network;
  readonly chainId: number;
  readonly rpc: Rpc;
  readonly assets: WatchedAssets;
  readonly contracts: ReadonlyMap<string, string | null>;
  readonly row: Pick<EvmNetwork, 'fees' | 'dataFee' | 'maxGasPrice' | 'maxTip'>;
  /** The most to offer per unit of gas, and the part of it for the block producer; by default, the network's. */
  readonly maxFeePerGasWei: bigint | undefined;
  readonly maxTipPerGasWei: bigint | undefined;
  readonly minesOnDemand: boolean;
}

type Sender = Omit<Required<AccountSender>, 'addressOf'>;

const GWEI = 1_000_000_000n;
/** The exact gas of a coin transfer to a plain address on most networks. */
const PLAIN_GAS = 21_000n;
const LARGEST_NONCE = 0xff_ff_ff_ff;
/**
 * No transaction may have more gas (EIP-7825). A node that was asked for an estimate without a limit would run a
 * contract that never ends through all the gas of a block.
 */
const MOST_GAS = 1 << 24;

export function createSender(deps: SenderDeps): Sender {
  const { rpc } = deps;
  return {
    balances: async (keys, currency, height) => {
      const block = height === undefined ? 'latest' : `0x${height.toString(16)}`;
      const asked = rpc.batch(keys.map((key) => balanceCall(deps, key, currency, block)));
      const answers = await asked.catch((error: unknown) => {
        if (height !== undefined && error instanceof RpcError && error.isStateGone)
          throw new StateNotKept(deps.network, height);
        throw error;
      });
      return new Map(keys.map((key, position) => [key, readWord(answers[position])]));
    },
    nonces: (keys) => readNonces(deps, keys, 'latest'),
    pendingNonces: (keys) => readNonces(deps, keys, 'pending'),
    balancesAtOnce: 1_000,
    validity: null,
    fees: (above) => readFees(deps, above),
    model: 'ACCOUNT',
    curve: 'secp256k1',
    feePayer: 'SENDER',
    replaceable: true,
    reserve: 0n,
    quote: judgedQuote(
      { network: deps.network, coin: NETWORKS[deps.network].coin, tip: () => readTip(deps) },
      (request) => readQuote(deps, request),
    ),
    // A transaction stays valid until another one uses its nonce.
    hasExpired: () => Promise.resolve(false),
    buildTransaction: ({ nonce, quote, ...request }) => {
      const transaction = transactionOf(deps, { ...request, ...quote, nonce });
      return {
        toSign: [{ signer: request.from, message: keccak256(serializeTransaction(transaction), 'bytes') }],
        finish: ([signature]) => finish(transaction, signature),
      };
    },
    broadcast: (raw) => broadcast(deps, raw),
    receipt: (txHash) => readReceipt(deps, txHash),
    finalizedHeight: createFinalityReader(deps),
  };
}

async function readTip({ rpc }: SenderDeps): Promise<BlockRef> {
  const tip = rpcTypes.readHead(await rpc.call('eth_getBlockByNumber', ['latest', false]));
  return tip ? { hash: tip.hash, height: tip.height } : rpc.fail('the node has no blocks yet');
}

async function readNonces(
  { rpc }: SenderDeps,
  keys: readonly string[],
  block: 'latest' | 'pending',
): Promise<Map<string, number>> {
  const answers = await rpc.batch(keys.map((key) => ({ method: 'eth_getTransactionCount', params: [key, block] })));
  return new Map(keys.map((key, position) => [key, rpcTypes.integerOf(answers[position], 'nonce')]));
}

function contractOf({ contracts, network }: SenderDeps, currency: string): string | null {
  const contract = contracts.get(currency);
  if (contract === undefined) throw new Error(`${currency} is not taken on ${network}`);
  return contract;
}

const word = (hex: string): string => hex.replace(/^0x/, '').toLowerCase().padStart(64, '0');

function balanceCall(deps: SenderDeps, key: string, currency: string, block: string) {
  const contract = contractOf(deps, currency);
  if (contract === null) return { method: 'eth_getBalance', params: [key, block] };
  // balanceOf(address) of ERC-20.
  return { method: 'eth_call', params: [{ to: contract, data: `0x70a08231${word(key)}` }, block] };
}

/** Reads a quantity, or the word that a contract call returns, which has leading zeros. */
function readWord(answer: unknown): bigint {
  return rpcTypes.quantityOf(answer, 'balance');
}

/** The coin's value, or the token's call. The call is raw data because USDT's `transfer` returns no bool. */
function contentOf(
  deps: SenderDeps,
  { to, currency, amount }: TransactionRequest,
): { to: Hex; value: bigint; data?: Hex } {
  const recipient = parseEvmAddress(to);
  if (!recipient) throw new Error(`Not an address: ${to}`);
  const contract = contractOf(deps, currency);
  if (contract === null) return { to: recipient.key as Hex, value: amount };
  // transfer(address,uint256) of ERC-20.
  const data: Hex = `0xa9059cbb${word(recipient.key)}${word(amount.toString(16))}`;
  return { to: contract.toLowerCase() as Hex, value: 0n, data };
}

function transactionOf(
  deps: SenderDeps,
  { nonce, gas, fees, ...request }: TransactionRequest & Pick<Quote, 'gas' | 'fees'> & { nonce: number },
): TransactionSerializable {
  const { maxPerGas, tipPerGas } = fees;
  const common = { chainId: deps.chainId, nonce, gas, ...contentOf(deps, request) };
  return tipPerGas === null
    ? { type: 'legacy', ...common, gasPrice: maxPerGas }
    : { type: 'eip1559', ...common, maxFeePerGas: maxPerGas, maxPriorityFeePerGas: tipPerGas };
}

/**
 * Offers twice the newest base fee, which covers six full blocks of rising prices, plus the node's suggested tip,
 * within the limits. A replacement offers an eighth more of both (nodes require a tenth). Throws `PriceTooHigh` if the
 * limit is too low for the next block.
 */
async function readFees(deps: SenderDeps, above?: Fees): Promise<Fees> {
  const { rpc, row, network, maxFeePerGasWei = BigInt(row.maxGasPrice) * GWEI } = deps;
  const { maxTipPerGasWei = BigInt(row.maxTip) * GWEI } = deps;
  const block = rpcTypes.fieldsOf(await rpc.call('eth_getBlockByNumber', ['latest', false]), 'block');
  // A development chain, or one before the upgrade, may lack a base fee even if the network has one.
  const isLegacy = row.fees === 'LEGACY' || block.baseFeePerGas === undefined || block.baseFeePerGas === null;
  const price = rpcTypes.quantityOf(
    await rpc.call(isLegacy ? 'eth_gasPrice' : 'eth_maxPriorityFeePerGas', []),
    'price of gas',
  );
  const tip = min(price, maxTipPerGasWei);
  const base = isLegacy ? 0n : rpcTypes.quantityOf(block.baseFeePerGas, 'base fee');
  const least = isLegacy ? price : base + tip;
  const current: Fees = isLegacy
    ? { maxPerGas: price, tipPerGas: null }
    : { maxPerGas: min(2n * base + tip, maxFeePerGasWei), tipPerGas: tip };
  const fees = above ? outbid(current, above) : current;
  if (least > maxFeePerGasWei || fees.maxPerGas > maxFeePerGasWei)
    throw new PriceTooHigh(network, `gas costs more than the limit of ${String(maxFeePerGasWei)} wei`);
  return fees;
}

const min = (a: bigint, b: bigint): bigint => (a < b ? a : b);

function outbid(current: Fees, above: Fees): Fees {
  const more = (units: bigint) => units + units / 8n + 1n;
  const max = (a: bigint, b: bigint) => (a > b ? a : b);
  const tipPerGas = above.tipPerGas === null ? null : max(current.tipPerGas ?? 0n, more(above.tipPerGas));
  return { maxPerGas: max(max(current.maxPerGas, more(above.maxPerGas)), tipPerGas ?? 0n), tipPerGas };
}

async function readQuote(deps: SenderDeps, request: TransactionRequest): Promise<Quote> {
  const [fees, gas] = await Promise.all([readFees(deps), estimateGas(deps, request)]);
  if (deps.row.dataFee === null) return { gas, fees, surcharge: 0n, anchor: null };
  // The nonce is not known yet. With the largest possible one, the transaction cannot be too small.
  const unsigned = serializeTransaction(transactionOf(deps, { ...request, gas, fees, nonce: LARGEST_NONCE }));
  return { gas, fees, surcharge: await readDataFee(deps.rpc, unsigned, gas), anchor: null };
}

/**
 * The node's estimate, plus a quarter if a contract runs, because its state may change before the transaction is mined.
 * A transaction that exceeds the block's gas limit is rejected here, before it is signed and blocks a nonce.
 */
async function estimateGas(deps: SenderDeps, request: TransactionRequest): Promise<bigint> {
  const { to, value, data } = contentOf(deps, request);
  const gasLimit = `0x${MOST_GAS.toString(16)}`;
  const call = { from: request.from, to, value: `0x${value.toString(16)}`, gas: gasLimit, ...(data && { data }) };
  const estimate = await askEstimate(deps, call);
  if (estimate === PLAIN_GAS) return estimate;
  const gas = estimate + estimate / 4n;
  const block = rpcTypes.fieldsOf(await deps.rpc.call('eth_getBlockByNumber', ['latest', false]), 'block');
  if (block.gasLimit != null && gas > rpcTypes.quantityOf(block.gasLimit, 'gas limit')) {
    const cause = new Error(`it takes ${String(gas)} gas, more than fits in a block`);
    throw new TransactionRefused(deps.network, 'REVERTED', { cause });
  }
  return gas;
}

async function askEstimate({ rpc, network }: SenderDeps, call: object): Promise<bigint> {
  try {
    return rpcTypes.quantityOf(await rpc.call('eth_estimateGas', [call]), 'gas');
  } catch (error) {
    throw rejectionOf(network, error) ?? error;
  }
}

function finish(transaction: TransactionSerializable, signature: Signature | undefined) {
  if (!signature) throw new Error('A transaction needs the signature of its sender');
  const { compact, recoveryId } = signature;
  const hex = (from: number): Hex => `0x${Buffer.from(compact.subarray(from, from + 32)).toString('hex')}`;
  const yParity = recoveryId & 1;
  const raw = serializeTransaction(transaction, { r: hex(0), s: hex(32), yParity, v: BigInt(27 + yParity) });
  return { raw, txHash: keccak256(hexToBytes(raw)) };
}

async function broadcast({ network, rpc }: SenderDeps, raw: string): Promise<'sent' | 'known'> {
  try {
    await rpc.call('eth_sendRawTransaction', [raw]);
    return 'sent';
  } catch (error) {
    if (error instanceof RpcError && /already (known|imported)|known transaction/i.test(error.message)) return 'known';
    throw broadcastRejection(network, error);
  }
}

async function readReceipt({ rpc, assets }: SenderDeps, txHash: string): Promise<Receipt | null> {
  const answer = await rpc.call('eth_getTransactionReceipt', [txHash]);
  const receipt = rpcTypes.readReceipt(answer);
  if (!receipt) return null;
  if (receipt.txHash !== txHash) rpc.fail(`the node answered with the receipt of ${receipt.txHash} for ${txHash}`);
  const fields = rpcTypes.fieldsOf(answer, 'receipt');
  const gasUsed = rpcTypes.quantityOf(fields.gasUsed, 'gas used');
  return {
    block: { hash: receipt.blockHash, height: receipt.height },
    succeeded: receipt.succeeded,
    cost: gasUsed * rpcTypes.quantityOf(fields.effectiveGasPrice, 'price of gas') + dataFeeOf(fields, gasUsed),
    paid: decodeBlock([], new Map([[txHash, receipt]]), assets),
    moves: decodeMoves(receipt, assets),
  };
}
