// Pays on Solana: quotes, unsigned transactions, broadcasting and receipts. The gas wallet pays the fee of every
// transaction and signs it together with the owner of the money, because owners of tokens hold no coin.

import { NETWORKS, type Network } from '../../values/assets.ts';
import { RpcError } from '../evm/rpc.ts';
import type { AccountSender, ChainReader } from '../adapter.ts';
import type { Receipt } from '../blocks.ts';
import { TransactionRefused } from '../errors.ts';
import type { Anchor, Quote, Signature, TransactionRequest } from '../transactions.ts';
import { judgedQuote } from '../judged-quote.ts';
import { isOwnedBy, isWallet, readAccounts } from './accounts.ts';
import { associatedTokenAccount, parseSolanaAddress, TOKEN_PROGRAM } from './address.ts';
import { createExpiryReader } from './expiry.ts';
import * as message from './message.ts';
import type { Mints } from './mints.ts';
import type { SolanaNode } from './node.ts';
import { MICROLAMPORTS_PER_PRICE, readPriorityFee, readRent, SIGNATURE_FEE, UNITS_PER_GAS } from './fees.ts';
import type { Reader } from './reader.ts';
import { rejectionOf } from './rejections.ts';
import { costOf, decodeTokens, type WatchedAssets } from './transfers.ts';
import { fieldsOf, integerOf, textOf } from './rpc-types.ts';

interface SenderDeps {
  readonly network: Network;
  readonly node: SolanaNode;
  readonly reader: Reader;
  readonly mints: Mints;
  readonly assets: WatchedAssets;
}

type Sender = Omit<AccountSender, 'addressOf' | 'balances'> & Required<Pick<ChainReader, 'hasAccount'>>;

/** The least balance of a wallet that is not empty: two years' rent for 128 bytes, which has never changed. */
const WALLET_RENT = 890_880n;
/** The size of a token account; those of Token-2022 have extensions. */
const TOKEN_ACCOUNT_BYTES = { plain: 165, extended: 220 };
/** Thousands of compute units if it cannot be simulated: the coin takes half of one, a new token account thirty. */
const GAS = { coin: 1n, token: 60n };
/** Added to the simulated compute units, in percent, because an account created meanwhile takes more. */
const MARGIN_PERCENT = 30;
/** A transaction is valid in this many blocks after its blockhash. */
const VALID_BLOCKS = 150;
/** A placeholder signature for simulations. */
export const NO_SIGNATURE = new Uint8Array(64);

export function createSender(deps: SenderDeps): Sender {
  const { node, reader } = deps;
  return {
    model: 'ACCOUNT',
    curve: 'ed25519',
    feePayer: 'GAS_WALLET',
    replaceable: false,
    reserve: WALLET_RENT,
    balancesAtOnce: 100,
    validity: { blocks: VALID_BLOCKS },
    // Solana has no nonces; our own numbers start at 0.
    nonces: (keys) => Promise.resolve(new Map(keys.map((key) => [key, 0]))),
    fees: async () => ({ maxPerGas: await readPriorityFee(node, []), tipPerGas: null }),
    quote: judgedQuote({ network: deps.network, coin: NETWORKS[deps.network].coin, tip: reader.tip }, (request) =>
      readQuote(deps, request),
    ),
    buildTransaction: (request) => {
      const built = build(deps, request);
      return {
        toSign: built.signers.map((key) => ({ signer: key, message: built.bytes })),
        finish: (signatures) => finish(built, signatures),
      };
    },
    broadcast: (raw) => broadcast(deps, raw),
    receipt: async (txHash, to) => {
      const found = await reader.find(txHash);
      if (!found) return null;
      const { transaction } = found;
      const { hash, height } = found.block;
      const paid = transaction.succeeded ? decodeTokens(transaction, deps.assets, to) : [];
      const { succeeded } = transaction;
      return { block: { hash, height }, succeeded, cost: costOf(transaction), paid } satisfies Receipt;
    },
    hasExpired: createExpiryReader({ node, reader }),
    finalizedHeight: () => node.slot('finalized'),
    hasAccount: (address, currency) => hasAccount(deps, recipientOf(address), currency),
  };
}

type Building = TransactionRequest & { readonly nonce: number; readonly quote: Quote };

/**
 * The message to sign. Two payments of the same amount to the same recipient with the same blockhash would be the same
 * transaction, and the second would never be executed. To tell them apart, our nonce is subtracted from the offered
 * limit and price, so they are slightly below the quote.
 */
function build(deps: SenderDeps, request: Building): message.Message {
  const { quote, nonce, payer = request.from } = request;
  const { anchor, gas, fees, token } = quote;
  if (!anchor) throw new Error('A Solana transaction is tied to a block');
  const [low, high] = [nonce % Number(MICROLAMPORTS_PER_PRICE), Math.floor(nonce / 1_000) % (UNITS_PER_GAS / 2)];
  const opensAccount = quote.opensAccount ?? true;
  const budget = message.computeBudget(
    Number(gas) * UNITS_PER_GAS - high,
    fees.maxPerGas * MICROLAMPORTS_PER_PRICE - BigInt(low),
  );
  return message.encodeMessage(payer, anchor.reference, [
    ...budget,
    ...actionOf(deps, { ...request, payer, opensAccount, token }),
  ]);
}

type Action = TransactionRequest & { payer: string; opensAccount: boolean; token: Quote['token'] | undefined };

/**
 * Transfers the coin, or a token, whose account it creates only if there was none when quoted. It must not create one
 * that existed: the owner could close it and collect the rent of the new one.
 */
function actionOf(
  { mints }: SenderDeps,
  { from, to, payer, currency, amount, opensAccount, token: quoted }: Action,
): message.Instruction[] {
  const recipient = recipientOf(to);
  const mint = mints.contractOf(currency);
  if (mint === null) return [message.transferCoin(from, recipient, amount)];
  if (!quoted) throw new Error(`The quote does not say what kind of token ${currency} is`);
  const token = { mint, ...quoted };
  const source = associatedTokenAccount(from, mint, token.program);
  const target = associatedTokenAccount(recipient, mint, token.program);
  const transfer = message.transferToken({ from: source, owner: from, to: target, units: amount }, token);
  return opensAccount ? [message.createTokenAccount(payer, target, recipient, token), transfer] : [transfer];
}

async function hasAccount({ node, mints }: SenderDeps, recipient: string, currency: string): Promise<boolean> {
  const mint = mints.contractOf(currency);
  if (mint === null) return true;
  const { program } = await mints.read(currency);
  const { accounts } = await readAccounts(node, [associatedTokenAccount(recipient, mint, program)]);
  return accounts[0]?.program === program;
}

function recipientOf(text: string): string {
  const recipient = parseSolanaAddress(text);
  if (!recipient) throw new Error(`Not an address: ${text}`);
  return recipient.key;
}

async function readQuote(deps: SenderDeps, request: TransactionRequest): Promise<Quote> {
  const { node, network, mints } = deps;
  const { payer = request.from, from, currency } = request;
  const recipient = recipientOf(request.to);
  const mint = mints.contractOf(currency);
  const token = mint === null ? undefined : await mints.read(currency);
  const target = mint === null || !token ? null : associatedTokenAccount(recipient, mint, token.program);
  const written = [payer, from, target ?? recipient];
  const [anchor, price, { accounts }] = await Promise.all([
    readAnchor(node),
    readPriorityFee(node, written),
    readAccounts(node, target === null ? [recipient] : [recipient, target]),
  ]);
  const [wallet, tokens] = accounts;
  // A token account, a mint or a program mistaken for a wallet: money sent there is lost.
  if (wallet && !isWallet(wallet)) throw new TransactionRefused(network, 'REVERTED');
  const opensAccount = token !== undefined && tokens?.program !== token.program;
  // The token account now belongs to another key, which would get the recipient's money.
  if (token && tokens && !opensAccount && !isOwnedBy(recipient, tokens))
    throw new TransactionRefused(network, 'REVERTED');
  const fees = { maxPerGas: price, tipPerGas: null };
  const signatures = payer === from ? SIGNATURE_FEE : 2n * SIGNATURE_FEE;
  const surcharge = signatures + (opensAccount ? await readRent(node, sizeOf(token.program)) : 0n);
  const kind = token && { token: { program: token.program, decimals: token.decimals } };
  const quote = { gas: token ? GAS.token : GAS.coin, fees, surcharge, anchor, opensAccount, ...kind };
  const built = build(deps, { ...request, nonce: 0, quote: { ...quote, gas: GAS.token } });
  const units = await simulate(deps, built);
  if (units === null) return quote;
  const thousands = Math.ceil((units * (100 + MARGIN_PERCENT)) / 100 / UNITS_PER_GAS);
  return { ...quote, gas: BigInt(Math.max(1, thousands)) };
}

const sizeOf = (program: string): number =>
  program === TOKEN_PROGRAM ? TOKEN_ACCOUNT_BYTES.plain : TOKEN_ACCOUNT_BYTES.extended;

/**
 * The compute units of a simulated transaction; null if funds are missing, which other code handles. Throws
 * `TransactionRefused` if it fails for any other reason.
 */
async function simulate({ node, network }: SenderDeps, built: message.Message): Promise<number | null> {
  const raw = message.encodeTransaction(
    built,
    built.signers.map(() => NO_SIGNATURE),
  );
  const options = { commitment: 'confirmed', encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
  const answer = fieldsOf(await node.call('simulateTransaction', [raw.toString('base64'), options]), 'simulation');
  const { err, unitsConsumed } = fieldsOf(answer.value, 'simulation');
  if (err === null) return integerOf(unitsConsumed, 'compute units');
  const text = JSON.stringify(err);
  // Account 0, the payer, would fall below its rent-exempt minimum.
  const isShort = rejectionOf(text) === 'FUNDS' || /InsufficientFundsForRent":\{"account_index":0\}/.test(text);
  if (isShort) return null;
  throw new TransactionRefused(network, 'REVERTED', { cause: new Error(text) });
}

/** The newest blockhash and the height at which it expires. */
export async function readAnchor(node: SolanaNode): Promise<Anchor> {
  const answer = fieldsOf(await node.call('getLatestBlockhash', [{ commitment: 'confirmed' }]), 'blockhash');
  const { blockhash, lastValidBlockHeight } = fieldsOf(answer.value, 'blockhash');
  return {
    reference: textOf(blockhash, 'blockhash'),
    ends: 'HEIGHT',
    validUntil: integerOf(lastValidBlockHeight, 'last valid block height'),
  };
}

function finish(built: message.Message, signatures: readonly Signature[]) {
  const [first] = signatures;
  if (!first || signatures.length !== built.signers.length)
    throw new Error('A transaction needs the signatures of all its signers');
  const bytes = signatures.map(({ compact }) => compact);
  return {
    raw: message.encodeTransaction(built, bytes).toString('base64'),
    txHash: message.transactionId(first.compact),
  };
}

async function broadcast({ network, node }: SenderDeps, raw: string): Promise<'sent' | 'known'> {
  try {
    textOf(await node.call('sendTransaction', [raw, { encoding: 'base64', preflightCommitment: 'confirmed' }]), 'id');
    return 'sent';
  } catch (error) {
    const reason = error instanceof RpcError ? rejectionOf(error.message) : null;
    if (reason === 'KNOWN') return 'known';
    if (reason !== null) throw new TransactionRefused(network, reason, { cause: error });
    throw error;
  }
}
