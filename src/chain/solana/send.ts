// Paying out on Solana: what a payment takes, transactions to be signed, and what became of them. Every payment is paid
// for by the gas wallet, which signs beside the owner of the money: token accounts hold no coin to pay with.

import type { Network } from '../../values/assets.ts';
import { RpcError } from '../evm/rpc.ts';
import {
  TransactionRefused,
  type AccountSender,
  type Anchor,
  type Quote,
  type Receipt,
  type Signature,
  type TransferRequest,
} from '../adapter.ts';
import { isWallet, readAccounts } from './accounts.ts';
import { associatedTokenAccount, parseSolanaAddress, TOKEN_PROGRAM } from './address.ts';
import { createDeathReader } from './death.ts';
import * as message from './message.ts';
import type { Mints } from './mints.ts';
import type { SolanaNode } from './node.ts';
import { MICROLAMPORTS_PER_PRICE, readPrice, readRent, SIGNATURE_FEE, UNITS_PER_GAS } from './prices.ts';
import type { Reader } from './reader.ts';
import { refusalOf } from './refusals.ts';
import { costOf, decodeTokens, type WatchedAssets } from './transfers.ts';
import { fieldsOf, integerOf, textOf } from './wire.ts';

interface SenderDeps {
  readonly network: Network;
  readonly node: SolanaNode;
  readonly reader: Reader;
  readonly mints: Mints;
  readonly assets: WatchedAssets;
}

type Sender = Omit<AccountSender, 'addressOf' | 'balances'>;

/** What an account without data must hold unless it holds nothing: 128 bytes' rent for two years, as it always was. */
const WALLET_RENT = 890_880n;
/** The size of a token account; those of the newer program have extensions. */
const TOKEN_ACCOUNT_BYTES = { plain: 165, extended: 220 };
/** Thousands of compute units where the node cannot try it: the coin takes half of one, a new token account thirty. */
const GAS = { coin: 1n, token: 60n };
/** What is added to what a simulation took, in percent: an account that is made meanwhile takes more. */
const MARGIN_PERCENT = 30;
/** Stands in for the signature in what is only tried. */
const NO_SIGNATURE = new Uint8Array(64);

/** Creates the paying half of the adapter. */
export function createSender(deps: SenderDeps): Sender {
  const { node, reader } = deps;
  return {
    model: 'ACCOUNT',
    curve: 'ed25519',
    feePayer: 'GAS_WALLET',
    replaceable: false,
    reserve: WALLET_RENT,
    // Accounts count nothing: the numbers are only our own.
    nonces: (keys) => Promise.resolve(new Map(keys.map((key) => [key, 0]))),
    fees: async () => ({ maxPerGas: await readPrice(node, []), tipPerGas: null }),
    quote: (request) => readQuote(deps, request),
    buildTransfer: (request) => {
      const built = build(deps, request);
      return {
        toSign: built.signers.map((key) => ({ signer: key, message: built.bytes })),
        finish: (signatures) => finish(built, signatures),
      };
    },
    broadcast: (raw) => broadcast(deps, raw),
    receipt: async (txHash) => {
      const found = await reader.find(txHash);
      if (!found) return null;
      const { transaction } = found;
      const { hash, height } = found.block;
      const paid = transaction.succeeded ? decodeTokens(transaction, deps.assets) : [];
      const { succeeded } = transaction;
      return { block: { hash, height }, succeeded, cost: costOf(transaction), paid } satisfies Receipt;
    },
    isDead: createDeathReader({ node, reader }),
  };
}

type Building = TransferRequest & { readonly nonce: number; readonly quote: Quote };

/**
 * The message to be signed. Two payments of one amount to one recipient, tied to one block, would be one transaction, and
 * the second one never carried out: the number that our books give each goes into what it offers, a little less than was
 * quoted.
 */
function build(deps: SenderDeps, request: Building): message.Message {
  const { quote, nonce, payer = request.from } = request;
  const { anchor, gas, fees } = quote;
  if (!anchor) throw new Error('A Solana transaction is tied to a block');
  const [low, high] = [nonce % Number(MICROLAMPORTS_PER_PRICE), Math.floor(nonce / 1_000) % (UNITS_PER_GAS / 2)];
  const budget = message.computeBudget(
    Number(gas) * UNITS_PER_GAS - high,
    fees.maxPerGas * MICROLAMPORTS_PER_PRICE - BigInt(low),
  );
  return message.encodeMessage(payer, anchor.reference, [...budget, ...actionOf(deps, { ...request, payer })]);
}

/** What the transaction does: it moves the coin, or a token into an account that it makes where there is none. */
function actionOf(
  { mints }: SenderDeps,
  { from, to, payer, currency, amount }: TransferRequest & { payer: string },
): message.Instruction[] {
  const recipient = recipientOf(to);
  const mint = mints.contractOf(currency);
  if (mint === null) return [message.transferCoin(from, recipient, amount)];
  const token = { mint, ...mints.known(currency) };
  const source = associatedTokenAccount(from, mint, token.program);
  const target = associatedTokenAccount(recipient, mint, token.program);
  return [
    message.createTokenAccount(payer, target, recipient, token),
    message.transferToken({ from: source, owner: from, to: target, units: amount }, token),
  ];
}

function recipientOf(text: string): string {
  const recipient = parseSolanaAddress(text);
  if (!recipient) throw new Error(`No address: ${text}`);
  return recipient.key;
}

async function readQuote(deps: SenderDeps, request: TransferRequest): Promise<Quote> {
  const { node, network, mints } = deps;
  const { payer = request.from, from, currency } = request;
  const recipient = recipientOf(request.to);
  const mint = mints.contractOf(currency);
  const program = mint === null ? null : (await mints.read(currency)).program;
  const target = mint === null || program === null ? null : associatedTokenAccount(recipient, mint, program);
  const written = [payer, from, target ?? recipient];
  const [anchor, price, { accounts }] = await Promise.all([
    readAnchor(node),
    readPrice(node, written),
    readAccounts(node, target === null ? [recipient] : [recipient, target]),
  ]);
  const [wallet, tokens] = accounts;
  // A token account, a mint or a program that somebody took for a wallet: what is sent there is lost.
  if (wallet && !isWallet(wallet)) throw new TransactionRefused(network, 'REVERTED');
  const fees = { maxPerGas: price, tipPerGas: null };
  const signatures = payer === from ? SIGNATURE_FEE : 2n * SIGNATURE_FEE;
  const surcharge = signatures + (target !== null && !tokens ? await readRent(node, sizeOf(program)) : 0n);
  const quote = { gas: target === null ? GAS.coin : GAS.token, fees, surcharge, anchor };
  const built = build(deps, { ...request, nonce: 0, quote: { ...quote, gas: GAS.token } });
  const units = await tryOut(deps, built);
  if (units === null) return quote;
  const thousands = Math.ceil((units * (100 + MARGIN_PERCENT)) / 100 / UNITS_PER_GAS);
  return { ...quote, gas: BigInt(Math.max(1, thousands)) };
}

const sizeOf = (program: string | null): number =>
  program === TOKEN_PROGRAM ? TOKEN_ACCOUNT_BYTES.plain : TOKEN_ACCOUNT_BYTES.extended;

/**
 * Has the node try a transaction: the compute units that it took, null while its money is not there yet, which is for
 * others to see to. Throws `TransactionRefused` when it fails for any other reason.
 */
async function tryOut({ node, network }: SenderDeps, built: message.Message): Promise<number | null> {
  const raw = message.encodeTransaction(
    built,
    built.signers.map(() => NO_SIGNATURE),
  );
  const options = { commitment: 'confirmed', encoding: 'base64', sigVerify: false, replaceRecentBlockhash: true };
  const answer = fieldsOf(await node.call('simulateTransaction', [raw.toString('base64'), options]), 'simulation');
  const { err, unitsConsumed } = fieldsOf(answer.value, 'simulation');
  if (err === null) return integerOf(unitsConsumed, 'compute units');
  const text = JSON.stringify(err);
  // The payer of the rent or of the fee would be left with too little to be kept.
  const isShort = refusalOf(text) === 'FUNDS' || /InsufficientFundsForRent":\{"account_index":0\}/.test(text);
  if (isShort) return null;
  throw new TransactionRefused(network, 'REVERTED', { cause: new Error(text) });
}

/** What ties a transaction to the chain: a block, and the height of the last one that may follow with it. */
async function readAnchor(node: SolanaNode): Promise<Anchor> {
  const answer = fieldsOf(await node.call('getLatestBlockhash', [{ commitment: 'confirmed' }]), 'blockhash');
  const { blockhash, lastValidBlockHeight } = fieldsOf(answer.value, 'blockhash');
  return {
    reference: textOf(blockhash, 'blockhash'),
    validUntil: integerOf(lastValidBlockHeight, 'last valid block height'),
  };
}

function finish(built: message.Message, signatures: readonly Signature[]) {
  const [first] = signatures;
  if (!first || signatures.length !== built.signers.length)
    throw new Error('A transaction is finished with the signatures of all who sign it');
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
    const reason = error instanceof RpcError ? refusalOf(error.message) : null;
    if (reason === 'KNOWN') return 'known';
    if (reason !== null) throw new TransactionRefused(network, reason, { cause: error });
    throw error;
  }
}
