// The sandbox's Litecoin chain: a litecoind in regtest with a faucet in its wallet. Deposits are real transactions of it,
// reorganisations real ones, and every call is on the disk when it answers.

import type { Logger } from 'pino';
import type { TestChainControl } from '../../chain/test-chain.ts';
import { RpcError, type Rpc } from '../../chain/utxo/rpc.ts';
import { invalid } from '../../values/errors.ts';
import { startLitecoinNode } from './node.ts';
import { createMutex } from '../mutex.ts';

export interface LitecoinChain extends TestChainControl {
  readonly rpcUrl: string;
  readonly cookiePath: string;
  readonly rpc: Rpc;
  readonly pid: number;
  /** Hands in a transaction; one that the chain has already is left alone. */
  sendRaw(signed: string): Promise<void>;
  stop(): Promise<void>;
}

const FAUCET = 'faucet';
/** What a miner is paid ripens within 100 blocks; with a few more the faucet has some outputs to pay with. */
const FIRST_BLOCKS = 110;
const UNITS_PER_COIN = 100_000_000n;

export async function createLitecoinChain(options: {
  readonly dataDir: string;
  readonly log: Logger;
  readonly binary?: string | undefined;
}): Promise<LitecoinChain> {
  const node = await startLitecoinNode(options);
  const { rpc } = node;
  try {
    await openFaucet(rpc);
  } catch (error) {
    await node.stop();
    throw error;
  }
  const mutex = createMutex();
  const oneAtATime =
    <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
    (...args: A): Promise<R> =>
      mutex(async () => {
        const result = await work(...args);
        await persist(rpc);
        return result;
      });

  return {
    ...{ rpcUrl: node.url, cookiePath: node.cookiePath, rpc, pid: node.pid },
    deposit: oneAtATime(async ({ address, amount, confirmations }) => {
      const txHash = String(await rpc.call('sendtoaddress', address, coinsOf(amount)));
      if (confirmations >= 0) await mine(rpc, confirmations + 1);
      return { txHash };
    }),
    mine: oneAtATime(async (count) => {
      await mine(rpc, count);
      return { height: await heightOf(rpc) };
    }),
    reorg: oneAtATime((depth) => reorganise(rpc, depth)),
    sendRaw: oneAtATime(async (signed) => {
      await rpc.call('sendrawtransaction', signed).catch((error: unknown) => {
        // -27: in a block already.
        if (!(error instanceof RpcError && error.code === -27)) throw error;
      });
    }),
    stop: () => node.stop(),
  };
}

/** Opens the faucet's wallet, or makes it and mines what it needs. */
async function openFaucet(rpc: Rpc): Promise<void> {
  const wallets = (await rpc.call('listwallets')) as unknown[];
  if (!wallets.includes(FAUCET)) {
    const found = (await rpc.call('listwalletdir')) as { wallets: { name: string }[] };
    const exists = found.wallets.some(({ name }) => name === FAUCET);
    await rpc.call(exists ? 'loadwallet' : 'createwallet', FAUCET);
  }
  const lacking = FIRST_BLOCKS - (await heightOf(rpc));
  if (lacking > 0) await mine(rpc, lacking);
}

/**
 * Blocks and their index reach the disk when the chain's state is counted, and the waiting transactions when they are
 * saved: without it a kill would lose what the node has in memory.
 */
async function persist(rpc: Rpc): Promise<void> {
  await rpc.call('gettxoutsetinfo');
  await rpc.call('savemempool');
}

async function mine(rpc: Rpc, count: number): Promise<void> {
  await rpc.call('generatetoaddress', count, await faucetAddress(rpc));
}

async function faucetAddress(rpc: Rpc): Promise<string> {
  return String(await rpc.call('getnewaddress', '', 'bech32'));
}

async function heightOf(rpc: Rpc): Promise<number> {
  return Number(await rpc.call('getblockcount'));
}

interface FaucetTransaction {
  readonly txid: string;
  readonly hex: string;
}

/**
 * Replaces the newest blocks. What the faucet paid in them is paid back to itself by another transaction in the first of
 * the new ones that may have it, so that it cannot come back; what others sent waits to be mined again.
 */
async function reorganise(rpc: Rpc, depth: number): Promise<{ height: number }> {
  const height = await heightOf(rpc);
  if (depth > height - FIRST_BLOCKS) {
    const message = `reaches the blocks that the faucet is paid by: at most ${String(height - FIRST_BLOCKS)}`;
    throw invalid([{ path: 'input.depth', message }]);
  }
  const first = await rpc.call('getblockhash', height - depth + 1);
  const payments = await faucetPayments(rpc, height - depth + 1, height);
  await rpc.call('invalidateblock', first);
  const counter = await paidBack(rpc, payments);
  for (let made = 0; made <= depth; made += 1) {
    const ripe = counter.filter(({ ripeAfter }) => ripeAfter === made).map(({ hex }) => hex);
    await rpc.call('generateblock', await faucetAddress(rpc), ripe);
  }
  return { height: await heightOf(rpc) };
}

/** The faucet's own transactions in some blocks, rewards of the miner left out. */
async function faucetPayments(rpc: Rpc, from: number, to: number): Promise<FaucetTransaction[]> {
  const found: FaucetTransaction[] = [];
  for (let height = from; height <= to; height += 1) {
    const block = (await rpc.call('getblock', await rpc.call('getblockhash', height), 1)) as { tx: string[] };
    for (const txid of block.tx.slice(1)) {
      const own = await rpc.call('gettransaction', txid).catch((error: unknown) => {
        if (error instanceof RpcError && error.isNotFound) return null;
        throw error;
      });
      const { hex, fee } = (own ?? {}) as { hex?: string; fee?: unknown };
      // Only what it sent has a fee; what it merely received is somebody else's transaction.
      if (hex !== undefined && fee !== undefined) found.push({ txid, hex });
    }
  }
  return found;
}

/** An output as the node tells it. */
interface Source {
  readonly value?: unknown;
  readonly coinbase?: unknown;
  readonly confirmations?: unknown;
}

/** Confirmations that a miner's reward needs before it can be spent. */
const RIPE_AFTER = 100;

interface Counter {
  readonly hex: string;
  /** New blocks without it that come first: a miner's reward is spent after a hundred. */
  readonly ripeAfter: number;
}

/** Transactions that spend the first input of each payment, and pay it to the faucet. */
async function paidBack(rpc: Rpc, payments: readonly FaucetTransaction[]): Promise<Counter[]> {
  const made: Counter[] = [];
  const own = new Set(payments.map(({ txid }) => txid));
  for (const { hex } of payments) {
    const { vin } = (await rpc.call('decoderawtransaction', hex)) as { vin: { txid: string; vout: number }[] };
    const [input] = vin;
    // One that spends another of them is gone with it.
    if (!input || vin.some(({ txid }) => own.has(txid))) continue;
    const source = (await rpc.call('gettxout', input.txid, input.vout, false)) as Source | null;
    if (source?.value === undefined) continue;
    const ripeAfter = source.coinbase === true ? Math.max(0, RIPE_AFTER - Number(source.confirmations)) : 0;
    const units = BigInt(Math.round(Number(source.value) * Number(UNITS_PER_COIN))) - 10_000n;
    const outputs = [{ [await faucetAddress(rpc)]: coinsOf(units) }];
    const raw = await rpc.call('createrawtransaction', [{ txid: input.txid, vout: input.vout }], outputs);
    const signed = (await rpc.call('signrawtransactionwithwallet', raw)) as { hex: string };
    made.push({ hex: signed.hex, ripeAfter });
  }
  return made;
}

/** Base units as the decimal that the node reads. */
function coinsOf(units: bigint): string {
  return `${String(units / UNITS_PER_COIN)}.${(units % UNITS_PER_COIN).toString().padStart(8, '0')}`;
}
