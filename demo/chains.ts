// Starts a chain for each network that the sandbox does not run by itself.

import { hasLitecoind } from '../src/sandbox/litecoin/node.ts';
import { parseAmount } from '../src/values/amount.ts';
import { assetOf, type Network } from '../src/values/assets.ts';

/** A chain for which the story's gateway is configured before it starts. */
export interface DemoChain {
  /** Environment variables for the gateway, such as the node's URL. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What an operator puts into the gas wallet, and the name under which that wallet is shown; null if the sandbox pays.
   */
  readonly gas: { readonly name: string; readonly currency: string; readonly amount: string } | null;
  /** Pays an address from a faucet; blocks are mined automatically. Returns the transaction's id. */
  pay(request: DemoPayment): string;
  stop(): Promise<void>;
}

interface DemoPayment {
  readonly to: string;
  readonly currency: string;
  /** Decimal. */
  readonly amount: string;
}

/** The sandbox runs Litecoin itself, if litecoind is installed. */
export function withLitecoin(): Promise<DemoChain | string> {
  if (!hasLitecoind()) return Promise.resolve('litecoind is not installed here (Debian: apt install litecoind)');
  return Promise.resolve({
    env: { SANDBOX_NETWORKS: 'ETH,POLYGON,LTC' },
    gas: null,
    pay: () => {
      throw new Error('The sandbox pays');
    },
    stop: () => Promise.resolve(),
  });
}

/** The interval at which a block, or a few, are mined: shorter than on the real networks, to keep the demo short. */
const BLOCKS_EVERY_MS = 300;

const NOT_INSTALLED = 'the packages of its double are not installed here (npm ci --prefix test)';

/** The program that starts a double, which is built with the tests that need it; null without their packages. */
function double<Start extends string, Node>(path: string): Promise<Record<Start, () => Promise<Node>> | null> {
  const url = new URL(`../test/doubles/${path}.js`, import.meta.url).href;
  return (import(url) as Promise<Record<Start, () => Promise<Node>>>).catch(() => null);
}

/** Transactions are executed by litesvm, a package of the tests. */
export async function withSolana(): Promise<DemoChain | string> {
  const found = await double<'startSolanaNode', Faucet & { readonly genesisHash: string }>('solana/node');
  if (!found) return NOT_INSTALLED;
  const node = await found.startSolanaNode();
  const { url, genesisHash, contracts } = node;
  return running(node, {
    ...{ network: 'SOL', blocks: 5, gas: { name: 'Solana', currency: 'SOL', amount: '1' } },
    env: { SOL_RPC_URL: url, SOL_GENESIS_HASH: genesisHash, ...contractsOf('SOL', contracts) },
  });
}

export async function withTron(): Promise<DemoChain | string> {
  const found = await double<'startTronDouble', Faucet & { readonly chainId: number }>('tron/double');
  if (!found) return NOT_INSTALLED;
  const node = await found.startTronDouble();
  const { url, chainId, contracts } = node;
  return running(node, {
    ...{ network: 'TRON', blocks: 1, gas: { name: 'TRON', currency: 'TRX', amount: '1000' } },
    env: { TRON_RPC_URL: url, TRON_CHAIN_ID: String(chainId), ...contractsOf('TRON', contracts) },
  });
}

function contractsOf(network: Network, contracts: ReadonlyMap<string, string | null>): Record<string, string> {
  const tokens = [...contracts].flatMap(([currency, contract]) =>
    contract === null ? [] : [[`${network}_${currency}_CONTRACT`, contract] as const],
  );
  return Object.fromEntries(tokens);
}

/** A double of a network's node, which pays what it is asked for. */
interface Faucet {
  readonly url: string;
  readonly contracts: ReadonlyMap<string, string | null>;
  readonly chain: { mine(count: number): unknown };
  pay(request: { to: string; currency: string; amount: bigint }): string;
  stop(): Promise<void>;
}

interface Kind extends Pick<DemoChain, 'env' | 'gas'> {
  readonly network: Network;
  /** Blocks mined at each interval. */
  readonly blocks: number;
}

function running(faucet: Faucet, { network, blocks, env, gas }: Kind): DemoChain {
  const miner = setInterval(() => faucet.chain.mine(blocks), BLOCKS_EVERY_MS);
  return {
    ...{ env, gas },
    pay: ({ to, currency, amount }) => {
      const units = parseAmount(amount, assetOf({ currency, network }).decimals);
      if (units === null) throw new Error(`Not an amount of ${currency}: ${amount}`);
      return faucet.pay({ to, currency, amount: units });
    },
    stop: () => {
      clearInterval(miner);
      return faucet.stop();
    },
  };
}
