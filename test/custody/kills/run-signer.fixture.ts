// The signer that the kill tests run in a child process: it connects to the database and the node, pays what is due,
// and ends. The test holds the chain and the keys and answers its calls; each step is reported before and after.

import { pino } from 'pino';
import type { ChainAdapter } from '../../../src/chain/adapter.ts';
import type { TestChain } from '../../../src/custody/context.ts';
import { createTransactionSender } from '../../../src/custody/send-transactions.ts';
import type { Signature, Signer } from '../../../src/custody/keys/signer.ts';
import { connectDatabase, query } from '../../../src/database/connection.ts';
import type { Deps } from '../../../src/domain/deps.ts';
import { NODE_TIMEOUT_MS } from '../../support/node-timeout.ts';
import { PATIENT_DATABASE } from '../../support/patience.ts';

/** The task, as the test sends it. */
export interface SignerTask {
  readonly databaseUrl: string;
  readonly rpcUrl: string;
  /** The chain id, for networks that have a number. */
  readonly chainId?: number;
  /** The hash of the first block, for networks that are identified by it. */
  readonly genesisHash?: string;
  /** Contracts by currency; may include the coin, which has none. */
  readonly contracts: ReadonlyMap<string, string | null>;
  /** A development chain by default. */
  readonly network?: 'ETH' | 'TRON' | 'LTC' | 'SOL';
  /** The file in which an LTC node keeps its credentials. */
  readonly cookiePath?: string;
  readonly now: Date;
}

/** A question to the test. */
export interface Question {
  readonly method: 'publicKey' | 'sign' | 'sendRaw' | 'mine' | 'deposit';
  readonly parameters: readonly unknown[];
}

/** Asks the test. */
export type Call = <Value>(method: Question['method'], ...parameters: unknown[]) => Promise<Value>;
/** Receives each point that is reached, such as `before send PAYOUT`. */
export type Passed = (point: string) => void;

const log = pino({ level: 'silent' });

/** Runs a step with a point before and a point after it. */
async function between<Value>(passed: Passed, step: string, work: () => Promise<Value>): Promise<Value> {
  passed(`before ${step}`);
  const value = await work();
  passed(`after ${step}`);
  return value;
}

/**
 * The path of a key says what its signature is for: the gas wallet, the hot wallet, or a deposit address; where nothing
 * is swept, each of them signs payouts.
 */
function createSigner(call: Call, passed: Passed, sweeps: boolean): Signer {
  const purposeOf = (path: string) => {
    // On Solana paths are hardened, and the wallets' indexes do not come last.
    if (!sweeps || /\/1\/0$|501'\/0'\/1'$/.test(path)) return 'PAYOUT';
    return /\/1\/1$|501'\/1'\/1'$/.test(path) ? 'GAS' : 'SWEEP';
  };
  return {
    publicKey: (path, curve) => call('publicKey', path, curve),
    signTaproot: (path) => Promise.reject(new Error(`No taproot key is asked for here: ${path}`)),
    sign: (path, message, curve) =>
      between(passed, `sign ${purposeOf(path)}`, () => call<Signature>('sign', path, message, curve)),
  };
}

/** Pays what is due. */
export async function runSigner(task: SignerTask, call: Call, passed: Passed): Promise<void> {
  const db = await connectDatabase({ url: task.databaseUrl, poolMax: 4, log, patience: PATIENT_DATABASE });
  const purposeOf = async (column: 'raw' | 'tx_hash', value: string) => {
    const rows = await query<{ purpose: string }>(db.em, `select purpose from transfer where ${column} = $1`, [value]);
    return rows[0]?.purpose ?? '';
  };
  // `mine` follows the transaction sent last; `settle` concerns the one whose receipt was read last.
  let sent = '';
  let read = '';
  let settling = '';
  let readings = 0;
  const devChain: TestChain = {
    sendRaw: async (raw) => {
      sent = await purposeOf('raw', raw);
      return between(passed, `send ${sent}`, () => call('sendRaw', raw));
    },
    mine: (count) => between(passed, `mine ${sent}`, () => call('mine', count)),
    deposit: (request) => between(passed, 'fill', () => call('deposit', request)),
  };
  const node = await openNode(task);
  const watched: Pick<ChainAdapter, 'broadcast' | 'receipt' | 'isCanonical'> = {
    // On a development chain, transactions are sent through its journal (`sendRaw`) instead.
    broadcast: async (raw) => {
      const purpose = await purposeOf('raw', raw);
      return between(passed, `send ${purpose}`, () => node.broadcast(raw));
    },
    receipt: async (txHash) => {
      const receipt = await node.receipt(txHash);
      read = await purposeOf('tx_hash', txHash);
      if (receipt) passed(`after receipt ${read}`);
      return receipt;
    },
    isCanonical: async (block) => {
      const canonical = await node.isCanonical(block);
      settling = read;
      readings = 0;
      passed(`before settle ${settling}`);
      return canonical;
    },
  };
  const adapter: ChainAdapter =
    node.model === 'ACCOUNT'
      ? { ...node, ...watched, quote: (request) => between(passed, 'quote', () => node.quote(request)) }
      : { ...node, ...watched };
  // The settling transaction reads the clock twice: for the cost, then for the payout.
  const now = () => {
    readings += 1;
    if (settling !== '') passed(`${readings === 1 ? 'within' : 'late within'} settle ${settling}`);
    return task.now;
  };
  const deps: Deps = {
    ...{ db, clock: { now }, environment: 'sandbox', payUrl: 'http://localhost/pay', webhookAllowPrivate: true, log },
    signals: {
      events: () => passed(`after settle ${settling}`),
      chain: () => undefined,
      payouts: () => undefined,
      deliveries: () => undefined,
    },
    chains: new Map(),
  };
  const { network = 'ETH' } = task;
  const { isOwn, confirmations, blocks } = CHAINS[network];
  const chain = {
    ...{ adapter, account: adapter.account, requiredConfirmations: confirmations },
    networkFees: new Map<string, bigint>(),
  };
  const signer = createSigner(call, passed, adapter.model === 'ACCOUNT');
  const sender = createTransactionSender(deps, { chain, signer, ...(isOwn ? { devChain } : {}) });
  const isOver = async () =>
    (await query(db.em, `select id from payout where status in ('REQUESTED', 'BROADCAST')`)).length === 0;
  while (await sender.processNext());
  // Where the sender does not mine, blocks come by themselves, and it looks again.
  for (let rounds = 0; !isOwn && rounds < 60 && !(await isOver()); rounds += 1) {
    await call('mine', blocks);
    while (await sender.processNext());
  }
  await db.close();
}

/** Whether the sender mines the chain; if not, how many blocks come at a time. */
const CHAINS = {
  ETH: { isOwn: true, confirmations: 2, blocks: 0 },
  TRON: { isOwn: false, confirmations: 20, blocks: 5 },
  LTC: { isOwn: false, confirmations: 2, blocks: 1 },
  SOL: { isOwn: false, confirmations: 32, blocks: 5 },
} as const;

/** Loads only the network's own adapter, so that a process starts sooner. */
async function openNode({
  network = 'ETH',
  rpcUrl,
  cookiePath,
  chainId = 0,
  genesisHash,
  contracts,
}: SignerTask): Promise<ChainAdapter> {
  if (network === 'LTC') {
    const { createUtxoAdapter } = await import('../../../src/chain/utxo/adapter.ts');
    return createUtxoAdapter({
      ...{ network, chain: 'regtest', kind: 'CORE', url: rpcUrl, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS },
      ...(cookiePath === undefined ? {} : { cookiePath }),
    });
  }
  if (network === 'SOL') {
    const { createSolanaAdapter } = await import('../../../src/chain/solana/adapter.ts');
    return createSolanaAdapter({
      ...{ network, url: rpcUrl, contracts, timeoutMs: NODE_TIMEOUT_MS },
      ...(genesisHash === undefined ? {} : { genesisHash }),
    });
  }
  if (network === 'TRON') {
    const { createTronAdapter } = await import('../../../src/chain/tron/adapter.ts');
    return createTronAdapter({ network, url: rpcUrl, chainId, contracts, timeoutMs: NODE_TIMEOUT_MS });
  }
  const { createEvmAdapter } = await import('../../../src/chain/evm/adapter.ts');
  return createEvmAdapter({
    ...{ network, rpcUrl, chainId, minesOnDemand: true, timeoutMs: NODE_TIMEOUT_MS, log },
    contracts: new Map<string, string | null>([['ETH', null], ...contracts]),
  });
}
