// Pays on TRON: balances, quotes, unsigned transactions, broadcasting and receipts. Transactions are built here rather
// than by the node, so that the node cannot choose what is signed.

import { NETWORKS, type Network } from '../../values/assets.ts';
import type { AccountSender } from '../adapter.ts';
import type { Receipt } from '../blocks.ts';
import { type RejectionReason, StateNotKept, TransactionRefused } from '../errors.ts';
import type { Anchor, Quote, Signature, TransactionRequest } from '../transactions.ts';
import { judgedQuote } from '../judged-quote.ts';
import { bytesOfAddress, hexOfAddress, parseTronAddress } from './address.ts';
import { balanceCall, estimateEnergy, readWord, textOf, transferCall } from './calls.ts';
import { createExpiryReader } from './expiry.ts';
import type { TronNode } from './node.ts';
import { readFeeRates } from './fees.ts';
import type { Reader } from './reader.ts';
import { bandwidthOf, encodeRaw, encodeSigned, transactionId, type Contract } from './transaction.ts';
import { decodeLogs, decodeMoves, type WatchedAssets } from './transfers.ts';
import { integerOf, readHead } from './rpc-types.ts';

interface SenderDeps {
  readonly network: Network;
  readonly node: TronNode;
  readonly reader: Reader;
  readonly assets: WatchedAssets;
  readonly contracts: ReadonlyMap<string, string | null>;
}

type Sender = Omit<AccountSender, 'addressOf'>;

/**
 * How long a transaction is valid, by the chain's clock. Blocks come every three seconds, so one that waits two minutes
 * has a problem; the network allows a day. `SEARCHED_MS` in expiry.ts depends on this.
 */
export const LIFETIME_MS = 120_000;
/** Added to the energy estimate, in percent, because the price of a busy contract rises while a payment waits. */
const ENERGY_MARGIN_PERCENT = 30n;
/** Requests sent in parallel. */
const PARALLEL = 8;
/** Used to compute a transaction's size: no amount takes more bytes. */
const LARGEST_AMOUNT = 2n ** 62n;

export function createSender(deps: SenderDeps): Sender {
  const { node, reader, network } = deps;
  return {
    model: 'ACCOUNT',
    curve: 'secp256k1',
    feePayer: 'SENDER',
    replaceable: false,
    validity: { ms: LIFETIME_MS },
    reserve: 0n,
    // A request each, and all of them within the three seconds of a block.
    balancesAtOnce: 100,
    balances: (keys, currency, height) => readBalances(deps, keys, currency, height),
    // TRON has no nonces; our own numbers start at 0.
    nonces: (keys) => Promise.resolve(new Map(keys.map((key) => [key, 0]))),
    fees: async () => ({ maxPerGas: (await readFeeRates(node, network)).energy, tipPerGas: null }),
    quote: judgedQuote({ network, coin: NETWORKS[network].coin, tip: reader.tip }, (request) =>
      readQuote(deps, request),
    ),
    buildTransaction: (request) => {
      const raw = rawOf(deps, request, request.amount);
      return {
        toSign: [{ signer: request.from, message: transactionId(raw) }],
        finish: ([signature]) => finish(raw, signature),
      };
    },
    broadcast: (raw) => broadcast(deps, raw),
    receipt: async (txHash) => {
      const found = await reader.find(txHash);
      if (!found) return null;
      const { block, info, succeeded } = found;
      const { hash, height } = block;
      return { block: { hash, height }, succeeded, cost: info.fee, ...paidBy(deps, found) } satisfies Receipt;
    },
    hasExpired: createExpiryReader(deps),
    finalizedHeight: async () => readHead(await node.askFinal('getblock', { detail: false }))?.height ?? null,
  };
}

function paidBy(
  { assets }: SenderDeps,
  { info, succeeded }: { info: Parameters<typeof decodeLogs>[0]; succeeded: boolean },
) {
  return succeeded ? { paid: decodeLogs(info, assets), moves: decodeMoves(info, assets) } : { paid: [], moves: [] };
}

function contractOf({ contracts, network }: SenderDeps, currency: string): string | null {
  const contract = contracts.get(currency);
  if (contract === undefined) throw new Error(`${currency} is not taken on ${network}`);
  return contract;
}

/**
 * Nodes know only the balances at their tip. For a given height, that block must be the tip before and after reading;
 * otherwise it throws `StateNotKept` and the caller tries again.
 */
async function readBalances(deps: SenderDeps, keys: readonly string[], currency: string, height?: number) {
  const assertAt = async () => {
    const tip = await deps.reader.tip();
    if (height !== undefined && tip.height !== height) throw new StateNotKept(deps.network, height);
    return tip.hash;
  };
  const before = height === undefined ? null : await assertAt();
  const balances = new Map<string, bigint>();
  for (let start = 0; start < keys.length; start += PARALLEL) {
    const some = keys.slice(start, start + PARALLEL);
    const units = await Promise.all(some.map((key) => readBalance(deps, key, currency)));
    some.forEach((key, position) => balances.set(key, units[position] ?? 0n));
  }
  if (height !== undefined && (await assertAt()) !== before) throw new StateNotKept(deps.network, height);
  return balances;
}

async function readBalance(deps: SenderDeps, key: string, currency: string): Promise<bigint> {
  const { node } = deps;
  const contract = contractOf(deps, currency);
  if (contract === null) {
    // An address that never received TRX has no account, and an empty account has no `balance`.
    const { balance } = await node.ask('getaccount', { address: hexOfAddress(key) });
    return BigInt(balance === undefined ? 0 : integerOf(balance, 'balance'));
  }
  const units = await readWord(node, { owner: key, contract, data: balanceCall(key) });
  return units ?? node.fail(`${contract} does not say what ${key} holds`);
}

function actionOf(deps: SenderDeps, { from, to, currency }: TransactionRequest, amount: bigint): Contract {
  const recipient = parseTronAddress(to);
  if (!recipient) throw new Error(`Not an address: ${to}`);
  const owner = bytesOfAddress(from);
  const contract = contractOf(deps, currency);
  return contract === null
    ? { type: 'TRANSFER', owner, to: bytesOfAddress(recipient.key), amount }
    : { type: 'TRIGGER', owner, contract: bytesOfAddress(contract), data: transferCall(recipient.key, amount) };
}

/**
 * The bytes to sign. Two payments of the same amount to the same recipient would be the same transaction, and the
 * second would be rejected as a duplicate. To tell them apart, our nonce is added to the timestamp, which is not
 * checked.
 */
function rawOf(
  deps: SenderDeps,
  request: TransactionRequest & { nonce: number; quote: Quote },
  amount: bigint,
): Buffer {
  const { quote, nonce, currency } = request;
  const { anchor, gas, fees } = quote;
  if (!anchor) throw new Error('A TRON transaction is tied to a block');
  return encodeRaw({
    refBlock: Buffer.from(anchor.reference, 'hex'),
    expiration: BigInt(anchor.validUntil),
    timestamp: BigInt(anchor.validUntil - LIFETIME_MS + nonce),
    contract: actionOf(deps, request, amount),
    // Required for contract calls. Coin transfers run no contract and cost only bandwidth.
    feeLimit: contractOf(deps, currency) === null ? 0n : gas * fees.maxPerGas,
  });
}

async function readQuote(deps: SenderDeps, request: TransactionRequest): Promise<Quote> {
  const isCoin = contractOf(deps, request.currency) === null;
  return isCoin ? quoteCoin(deps, request) : quoteToken(deps, request);
}

/** Costs bandwidth, or the activation of a new account instead. */
async function quoteCoin(deps: SenderDeps, request: TransactionRequest): Promise<Quote> {
  const { node, network } = deps;
  const recipient = parseTronAddress(request.to)?.key ?? '';
  const question = { address: hexOfAddress(recipient) };
  const [prices, anchor, account] = await Promise.all([
    readFeeRates(node, network),
    readAnchor(node),
    node.ask('getaccount', question),
  ]);
  // The network accepts no coin transfer to a contract, or to the sender itself.
  if (account.type === 'Contract' || recipient === request.from) throw new TransactionRefused(network, 'REVERTED');
  const fees = { maxPerGas: prices.bandwidth, tipPerGas: null };
  const sizeless = { gas: 0n, fees, surcharge: 0n, anchor };
  const gas = BigInt(bandwidthOf(rawOf(deps, { ...request, nonce: 0, quote: sizeless }, LARGEST_AMOUNT)));
  const extra = account.address === undefined ? prices.activation - gas * prices.bandwidth : 0n;
  return { gas, fees, surcharge: extra > 0n ? extra : 0n, anchor };
}

/** Costs energy, with a margin, and bandwidth. The recipient needs no activated account. */
async function quoteToken(deps: SenderDeps, request: TransactionRequest): Promise<Quote> {
  const { node, network } = deps;
  const contract = contractOf(deps, request.currency) ?? '';
  const call = { owner: request.from, contract, data: transferCall(request.to, request.amount) };
  const [prices, anchor, energy] = await Promise.all([
    ...([readFeeRates(node, network), readAnchor(node)] as const),
    estimateEnergy(node, network, call),
  ]);
  const quote = {
    gas: (energy * (100n + ENERGY_MARGIN_PERCENT)) / 100n,
    fees: { maxPerGas: prices.energy, tipPerGas: null },
    anchor,
  };
  const raw = rawOf(deps, { ...request, nonce: 0, quote: { ...quote, surcharge: 0n } }, request.amount);
  return { ...quote, surcharge: BigInt(bandwidthOf(raw)) * prices.bandwidth };
}

/**
 * Anchors a transaction to a final block, which no reorganisation removes, and sets its expiry by the newest block's
 * time, which is the clock that decides.
 */
async function readAnchor(node: TronNode): Promise<Anchor> {
  const [final, newest] = await Promise.all([
    node.askFinal('getblock', { detail: false }),
    node.ask('getblock', { detail: false }),
  ]);
  const reference = readHead(final) ?? node.fail('no block is final yet');
  const tip = readHead(newest) ?? node.fail('the node has no blocks yet');
  return { reference: reference.hash, ends: 'TIME', validUntil: tip.time.getTime() + LIFETIME_MS };
}

function finish(raw: Buffer, signature: Signature | undefined) {
  if (!signature) throw new Error('A transaction needs the signature of its sender');
  const bytes = Buffer.concat([signature.compact, Buffer.of(27 + (signature.recoveryId & 1))]);
  return { raw: encodeSigned(raw, bytes).toString('hex'), txHash: transactionId(raw).toString('hex') };
}

/** Rejections by error code and message. Any other error leaves the transaction's outcome open. */
const REJECTIONS: readonly (readonly [code: string, wording: RegExp, reason: RejectionReason])[] = [
  ['BANDWITH_ERROR', /./, 'FUNDS'],
  ['CONTRACT_VALIDATE_ERROR', /not sufficient|insufficient|no OwnerAccount|not exist/i, 'FUNDS'],
  ['CONTRACT_VALIDATE_ERROR', /./, 'REVERTED'],
  ['CONTRACT_EXE_ERROR', /./, 'REVERTED'],
  ['TRANSACTION_EXPIRATION_ERROR', /./, 'EXPIRED'],
  ['TAPOS_ERROR', /./, 'EXPIRED'],
];

async function broadcast({ network, node }: SenderDeps, raw: string): Promise<'sent' | 'known'> {
  const { result, code, message } = await node.ask('broadcasthex', { transaction: raw });
  if (result === true) return 'sent';
  if (code === 'DUP_TRANSACTION_ERROR') return 'known';
  const cause = `${String(code)} ${textOf(message)}`;
  const reason = REJECTIONS.find(([rejectionCode, wording]) => rejectionCode === code && wording.test(cause))?.[2];
  if (reason) throw new TransactionRefused(network, reason, { cause: new Error(cause) });
  return node.fail(`the node did not take the transaction: ${cause}`);
}
