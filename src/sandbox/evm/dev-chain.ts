// The sandbox's EVM chain: simulated customers pay on it, and its blocks are mined and replaced on request.

import type { Hex } from 'viem';
import { getAddress, isAddress, keccak256 } from 'viem/utils';
import type { Logger } from 'pino';
import type { BlockHead } from '../../chain/blocks.ts';
import { ChainUnavailable } from '../../chain/errors.ts';
import { type Rpc, RpcError } from '../../chain/evm/rpc.ts';
import type { TestChainControl } from '../../chain/test-chain.ts';
import { NETWORKS, type Network } from '../../values/assets.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { attachChain, type ChainHost } from './host.ts';
import { mineBlocks, sendSigned } from './steps.ts';
import { openAnvilChain } from './anvil-chain.ts';
import { createMutex, type Mutex } from '../mutex.ts';
import { chainFolder, sandboxChainId } from '../paths.ts';
import { fundFaucet, nextFaucetNonce, signDeployments, signDeposit, testTokensOf } from './test-tokens.ts';

/** A development chain with test tokens and a faucet. Calls run one after another. */
export interface DevChain extends TestChainControl {
  readonly rpcUrl: string;
  readonly chainId: number;
  /** Token contracts by currency, without the coin. */
  readonly contracts: ReadonlyMap<string, string>;
  /**
   * Puts one of the gateway's own signed transactions (0x…) into the mempool, durably; nothing is mined. Does nothing
   * if the chain already has it. Throws `RpcError` when the node refuses it.
   */
  sendRaw(signed: string): Promise<{ readonly txHash: string }>;
  tip(): Promise<BlockHead>;
  /** Throws when the node does not answer or the test tokens are missing. */
  verify(): Promise<void>;
  /** Saves the chain and ends its process; has no effect on a chain that someone else runs. */
  stop(): Promise<void>;
}

export interface DevChainOptions {
  /** The parent of the chain's own folder (`chainFolder`). One program at a time. */
  readonly dataDir: string;
  /** The EVM network that it stands for; default: ETH. */
  readonly network?: Network;
  readonly log: Logger;
  readonly anvilPath?: string | null | undefined;
  /** A development chain that someone else runs; ours is not started then. */
  readonly rpcUrl?: string | null | undefined;
  /**
   * Runs changes of the chain while no other process makes any, if several drive one node: anvil goes back block by
   * block, and blocks mined meanwhile would tear holes into its chain.
   */
  readonly exclusive?: Mutex;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

interface Deps {
  readonly host: ChainHost;
  readonly mutex: Mutex;
  readonly chainId: number;
  readonly coin: string;
  readonly contracts: ReadonlyMap<string, Hex>;
  /** The height of the test tokens' block, which is never replaced. */
  readonly baseHeight: number;
}

/** Mining this many takes some ten seconds. */
const MAX_BLOCKS = 10_000;

/**
 * Starts the sandbox's chain, or connects to one at `rpcUrl`. Throws `AnvilMissing` when there is no anvil to start,
 * `NotADevChain` when the node at `rpcUrl` cannot be simulated on, `ChainUnavailable` when it does not answer.
 */
export async function createDevChain(options: DevChainOptions): Promise<DevChain> {
  const { dataDir, log, anvilPath, rpcUrl, now = Date.now, network = 'ETH', exclusive = (run) => run() } = options;
  const inTurn = createMutex();
  const mutex: Mutex = (run) => inTurn(() => exclusive(run));
  const folder = chainFolder(dataDir, network);
  const setUp = (rpc: Rpc) => deployTokens(rpc, Math.floor(now() / 1_000));
  const host = rpcUrl
    ? await attachChain({ network, url: rpcUrl, now })
    : await openAnvilChain({
        ...{ network, chainId: sandboxChainId(network), folder, log, mutex, now, setUp },
        binary: anvilPath ?? undefined,
      });
  const { chainId, baseHeight } = await mutex(() => prepare(host, Boolean(rpcUrl))).catch(async (error: unknown) => {
    await host.stop();
    throw error;
  });
  const contracts = testTokensOf(network);
  const deps: Deps = { host, mutex, chainId, baseHeight, contracts, coin: NETWORKS[network].coin };

  return {
    rpcUrl: host.url,
    chainId,
    contracts,
    deposit: (request) => mutex(() => deposit(deps, request)),
    mine: (count) => mutex(() => mine(deps, count)),
    reorg: (depth) => mutex(() => reorg(deps, depth)),
    sendRaw: (signed) => mutex(() => sendRaw(deps, signed as Hex)),
    tip: () => mutex(() => host.ready()),
    verify: () => mutex(() => verify(deps)),
    // Without `exclusive`: a process must be able to end even if the others cannot be asked.
    stop: () => inTurn(() => host.stop()),
  };
}

async function deposit({ host, chainId, coin, contracts }: Deps, request: Parameters<TestChainControl['deposit']>[0]) {
  const { currency, amount, confirmations } = request;
  if (currency !== coin && !contracts.has(currency)) throw new GatewayError('UNSUPPORTED_ASSET');
  if (amount <= 0n) throw invalid([{ path: 'amount', message: 'must be greater than 0' }]);
  if (!isAddress(request.address, { strict: false })) throw invalid([{ path: 'address', message: 'is no address' }]);
  assertCount('confirmations', confirmations, -1);

  await host.ready();
  const address = getAddress(request.address.toLowerCase());
  const nonce = await withRetry(host, () => nextFaucetNonce(host.rpc));
  const signed = await signDeposit({ chainId, nonce, address, currency, amount });
  await host.commit({ sends: [signed], blocks: confirmations + 1 });
  const txHash = keccak256(signed);
  if (confirmations >= 0 && !(await withRetry(host, () => succeeded(host.rpc, txHash))))
    throw new Error(`Deposit ${txHash} was not carried out`);
  return { txHash };
}

async function mine({ host }: Deps, count: number) {
  assertCount('count', count, 1);
  await host.ready();
  await host.commit({ sends: [], blocks: count });
  return heightOf(host);
}

async function reorg({ host, baseHeight }: Deps, depth: number) {
  const { height } = await host.ready();
  if (!Number.isSafeInteger(depth) || depth < 1 || depth > height - baseHeight) {
    const most = height - baseHeight;
    const message = most < 1 ? 'there is no block yet that could be replaced' : `must be from 1 to ${most}`;
    throw invalid([{ path: 'input.depth', message }]);
  }
  await host.replaceNewest(depth);
  return heightOf(host);
}

async function sendRaw({ host }: Deps, signed: Hex) {
  await host.ready();
  const txHash = keccak256(signed);
  const known = await withRetry(host, () => host.rpc.call('eth_getTransactionByHash', [txHash]));
  if (!(known as { blockHash: string | null } | null)?.blockHash) await host.commit({ sends: [signed], blocks: 0 });
  return { txHash };
}

async function verify({ host, chainId, contracts }: Deps): Promise<void> {
  await host.ready();
  if ((await chainIdOf(host.rpc)) !== chainId) throw new Error('The node changed to another chain');
  for (const [currency, contract] of contracts) {
    const code = await host.rpc.call('eth_getCode', [contract, 'latest']);
    if (code === '0x') throw new Error(`The test ${currency} is not on this chain`);
  }
}

/** Asks again if the node died just before or meanwhile: `ready` brings it back. */
async function withRetry<T>(host: ChainHost, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof RpcError || !(error instanceof ChainUnavailable)) throw error;
    await host.ready();
    return read();
  }
}

async function heightOf(host: ChainHost) {
  return { height: (await host.ready()).height };
}

function assertCount(path: string, count: number, least: number): void {
  if (Number.isSafeInteger(count) && count >= least && count <= MAX_BLOCKS) return;
  throw invalid([{ path, message: `must be a whole number from ${least} to ${MAX_BLOCKS}` }]);
}

async function chainIdOf(rpc: Rpc): Promise<number> {
  return Number(await rpc.call('eth_chainId', []));
}

async function deployTokens(rpc: Rpc, time: number): Promise<void> {
  await fundFaucet(rpc);
  for (const signed of await signDeployments(await chainIdOf(rpc))) await sendSigned(rpc, signed);
  await mineBlocks(rpc, 1, time);
}

async function prepare(host: ChainHost, foreign: boolean): Promise<{ chainId: number; baseHeight: number }> {
  const chainId = await chainIdOf(host.rpc);
  if (foreign) await fundOrDeploy(host, chainId);
  return { chainId, baseHeight: await baseHeightOf(host.rpc, chainId) };
}

/** Prepares a chain that someone else runs, once; the tokens may be there from an earlier run. */
async function fundOrDeploy(host: ChainHost, chainId: number): Promise<void> {
  await fundFaucet(host.rpc);
  const deployments = await signDeployments(chainId);
  const first = deployments[0];
  if (first && (await host.rpc.call('eth_getTransactionReceipt', [keccak256(first)])) !== null) return;
  await host.commit({ sends: deployments, blocks: 1 });
}

async function baseHeightOf(rpc: Rpc, chainId: number): Promise<number> {
  const heights = (await signDeployments(chainId)).map(async (signed) => {
    const receipt = await rpc.call('eth_getTransactionReceipt', [keccak256(signed)]);
    if (receipt === null) throw new Error('The test tokens could not be made on this chain');
    return Number((receipt as { blockNumber: string }).blockNumber);
  });
  return Math.max(...(await Promise.all(heights)));
}

async function succeeded(rpc: Rpc, txHash: Hex): Promise<boolean> {
  const receipt = await rpc.call('eth_getTransactionReceipt', [txHash]);
  return receipt !== null && Number((receipt as { status: string }).status) === 1;
}
