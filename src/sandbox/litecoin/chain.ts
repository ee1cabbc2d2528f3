// The sandbox's Litecoin chain: a litecoind in regtest mode with a faucet wallet. Its deposits and reorganisations are
// real, and every call is on disk before it is answered.

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
  /** Sends a transaction; does nothing if the chain already has it. */
  sendRaw(signed: string): Promise<void>;
  stop(): Promise<void>;
}

const FAUCET = 'faucet';
/** A mining reward matures within 100 blocks; a few more give the faucet several outputs to pay with. */
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
        // -27: already in a block.
        if (!(error instanceof RpcError && error.code === -27)) throw error;
      });
    }),
    stop: () => node.stop(),
  };
}

/** Opens or creates the faucet's wallet, and mines the blocks that it needs. */
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
 * Computing the chain's state writes blocks and their index to disk; saving the mempool writes the waiting
 * transactions. Otherwise a kill would lose what the node has in memory.
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
 * Replaces the newest blocks. Each payment of the faucet in them conflicts with a new transaction that returns the
 * money to the faucet, mined in the first new block that may have it, so that the payment cannot come back.
 * Transactions of others wait to be mined again.
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
  const conflicts = await createConflicts(rpc, payments);
  for (let made = 0; made <= depth; made += 1) {
    const ripe = conflicts.filter(({ ripeAfter }) => ripeAfter === made).map(({ hex }) => hex);
    await rpc.call('generateblock', await faucetAddress(rpc), ripe);
  }
  return { height: await heightOf(rpc) };
}

/** The faucet's own transactions in some blocks, without mining rewards. */
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
      // Only transactions that it sent have a fee; those that it received belong to others.
      if (hex !== undefined && fee !== undefined) found.push({ txid, hex });
    }
  }
  return found;
}

/** An output as the node reports it. */
interface Source {
  readonly value?: unknown;
  readonly coinbase?: unknown;
  readonly confirmations?: unknown;
}

/** Confirmations that a miner's reward needs before it can be spent. */
const RIPE_AFTER = 100;

interface Conflict {
  readonly hex: string;
  /** New blocks to mine before it: a mining reward can be spent only after a hundred. */
  readonly ripeAfter: number;
}

/** Conflicting transactions, which spend the first input of each payment and return it to the faucet. */
async function createConflicts(rpc: Rpc, payments: readonly FaucetTransaction[]): Promise<Conflict[]> {
  const made: Conflict[] = [];
  const own = new Set(payments.map(({ txid }) => txid));
  for (const { hex } of payments) {
    const { vin } = (await rpc.call('decoderawtransaction', hex)) as { vin: { txid: string; vout: number }[] };
    const [input] = vin;
    // A payment that spends another one is gone with that one.
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

/** Base units as the decimal number of coins that the node reads. */
function coinsOf(units: bigint): string {
  return `${String(units / UNITS_PER_COIN)}.${(units % UNITS_PER_COIN).toString().padStart(8, '0')}`;
}
