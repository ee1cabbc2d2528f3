// A real litecoind with payers who pay from outputs of their own, raise their fees and double-spend, and whose blocks
// can be dropped and restored.

import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { p2wpkh, Transaction } from '@scure/btc-signer';
import { pubECDSA } from '@scure/btc-signer/utils.js';
import { RpcError } from '../../../src/chain/utxo/rpc.ts';
import { startLitecoinNode, type LitecoinNode } from '../../../src/sandbox/litecoin/node.ts';
import { log } from '../../domain/book.fixture.ts';
import { makeTestFolder } from '../../support/database/database.ts';

/** What an output pays; `to` is a script in hex, `amount` in base units. */
export interface Output {
  readonly to: string;
  readonly amount: bigint;
}

/** An output that a payer can spend. */
export interface Coin extends Output {
  readonly outpoint: string;
  readonly payer: number;
}

/** A signed transaction. Those of one coin exclude each other. */
export interface Signed {
  readonly hash: string;
  readonly raw: string;
  readonly coin: Coin;
  readonly outputs: readonly Output[];
  /** How many times its fee was doubled. */
  readonly bumps: number;
}

/** Blocks as the node reports them, read past our adapter. */
export interface WireBlock {
  readonly tx: readonly {
    readonly txid: string;
    readonly vout: readonly { readonly value: string | number; readonly scriptPubKey: { readonly hex: string } }[];
  }[];
}

export interface LitecoinPayers {
  readonly node: LitecoinNode;
  head(): Promise<{ height: number; hash: string; time: number }>;
  /** The node's clock, in Unix seconds. */
  setTime(time: number): Promise<void>;
  /** Gives each payer a coin, in a block. */
  fund(): Promise<Coin[]>;
  /** Signs a transaction of one coin, with change to its payer; null if the coin is too small. */
  sign(coin: Coin, outputs: readonly Output[], bumps?: number): Signed | null;
  /** Puts it into the mempool; false if the node rejects it. */
  send(signed: Signed): Promise<boolean>;
  waiting(): Promise<Signed[]>;
  /** The payers' transactions in the newest blocks, oldest first. */
  newest(depth: number): Promise<Signed[]>;
  block(height: number): Promise<WireBlock>;
  /** Mines blocks; the first takes what waits. */
  mine(count: number): Promise<void>;
  /** Mines one block with exactly these transactions, whatever waits. */
  mineOnly(transactions: readonly Signed[]): Promise<void>;
  /** Declares a block and its descendants invalid, or valid again; the node follows the best branch that is left. */
  invalidate(hash: string): Promise<void>;
  reconsider(hash: string): Promise<void>;
  hashAt(height: number): Promise<string>;
  stop(): Promise<void>;
}

const PAYERS = 16;
const NETWORK = { bech32: 'rltc', pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef };
const UNITS_PER_COIN = 100_000_000n;
const FEE = 5_000n;
/** A miner's reward matures within 100 blocks. */
const FIRST_BLOCKS = 110;

const keyOf = (payer: number) =>
  createHash('sha256')
    .update(`test payer ${String(payer)}`)
    .digest();
const payers = Array.from({ length: PAYERS }, (_, nth) => {
  const { script, address = '' } = p2wpkh(pubECDSA(keyOf(nth)), NETWORK);
  return { key: keyOf(nth), script: Buffer.from(script).toString('hex'), address };
});

/** Starts it, with a wallet that gives payers their coins. Its mempool drops what waits for an hour. */
export async function startLitecoinPayers(): Promise<LitecoinPayers> {
  const folder = await makeTestFolder('litecoin');
  const node = await startLitecoinNode({ dataDir: folder, log, extraArgs: ['-mempoolexpiry=1'] });
  const known = new Map<string, Signed>();
  const call = async <Answer>(method: string, ...params: unknown[]) =>
    (await node.rpc.call(method, ...params)) as Answer;
  const miner = () => call<string>('getnewaddress', '', 'bech32');
  const mine = async (count: number) => {
    if (count > 0) await call('generatetoaddress', count, await miner());
  };
  const hashAt = (height: number) => call<string>('getblockhash', height);
  const height = () => call<number>('getblockcount');
  const ours = (hashes: readonly string[]) =>
    hashes.flatMap((hash) => {
      const found = known.get(hash);
      return found ? [found] : [];
    });
  await call('createwallet', 'faucet');
  await mine(FIRST_BLOCKS);

  return {
    node,
    head: async () => {
      const hash = await call<string>('getbestblockhash');
      const { height: at, time } = await call<{ height: number; time: number }>('getblockheader', hash);
      return { height: at, hash, time };
    },
    setTime: (time) => call('setmocktime', time),
    fund: async () => {
      const gifts = Object.fromEntries(payers.map(({ address }) => [address, '0.1']));
      const hash = await call<string>('sendmany', '', gifts);
      await mine(1);
      const { vout } = (await call<WireBlock>('getblock', await hashAt(await height()), 2)).tx.find(
        ({ txid }) => txid === hash,
      ) ?? { vout: [] };
      return payers.map(({ script }, payer) => {
        const place = vout.findIndex(({ scriptPubKey }) => scriptPubKey.hex === script);
        return { outpoint: `${hash}:${String(place)}`, payer, to: script, amount: UNITS_PER_COIN / 10n };
      });
    },
    sign: (coin, outputs, bumps = 0) => {
      const signed = signSpend(coin, outputs, bumps);
      if (signed) known.set(signed.hash, signed);
      return signed;
    },
    send: async ({ raw }) => {
      try {
        await call('sendrawtransaction', raw, 0);
        return true;
      } catch (error) {
        if (error instanceof RpcError) return false;
        throw error;
      }
    },
    waiting: async () => ours(await call<string[]>('getrawmempool')),
    newest: async (depth) => {
      const tip = await height();
      const found: Signed[] = [];
      for (let at = tip - depth + 1; at <= tip; at += 1)
        found.push(...ours((await call<{ tx: string[] }>('getblock', await hashAt(at), 1)).tx));
      return found;
    },
    block: async (at) => call<WireBlock>('getblock', await hashAt(at), 2),
    mine,
    mineOnly: async (transactions) => {
      const raw = transactions.map((signed) => signed.raw);
      await call('generateblock', await miner(), raw);
    },
    invalidate: (hash) => call('invalidateblock', hash),
    reconsider: (hash) => call('reconsiderblock', hash),
    hashAt,
    stop: async () => {
      await node.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function signSpend(coin: Coin, outputs: readonly Output[], bumps: number): Signed | null {
  const [txid = '', index = ''] = coin.outpoint.split(':');
  const paid = outputs.reduce((sum, { amount }) => sum + amount, 0n);
  const change = coin.amount - paid - FEE * 2n ** BigInt(bumps);
  const payer = payers[coin.payer];
  // Less would be dust, which nodes reject.
  if (!payer || change < 10_000n) return null;
  const transaction = new Transaction({ allowUnknownOutputs: true });
  const witnessUtxo = { script: Buffer.from(coin.to, 'hex'), amount: coin.amount };
  // The sequence marks it as replaceable (BIP-125).
  transaction.addInput({ txid, index: Number(index), witnessUtxo, sequence: 0xffff_fffd });
  const all = [...outputs, { to: payer.script, amount: change }];
  for (const { to, amount } of all) transaction.addOutput({ script: Buffer.from(to, 'hex'), amount });
  transaction.sign(payer.key);
  transaction.finalize();
  return { hash: transaction.id, raw: transaction.hex, coin, outputs: all, bumps };
}

/** The change of a transaction, which its payer can spend in turn. */
export function changeOf({ hash, outputs, coin: { payer, to } }: Signed): Coin {
  const place = outputs.length - 1;
  return { outpoint: `${hash}:${String(place)}`, payer, to, amount: outputs[place]?.amount ?? 0n };
}

/** The node's decimal of coins, in base units. */
export const unitsIn = (value: string | number): bigint => BigInt(Math.round(Number(value) * Number(UNITS_PER_COIN)));
