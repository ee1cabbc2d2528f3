// Starts a chain for each network that the sandbox does not run by itself.

import { hasLitecoind } from '../src/sandbox/litecoin/node.ts';
import { parseAmount } from '../src/values/amount.ts';
import { assetOf, type Network } from '../src/values/assets.ts';

/** A chain that the gateway of this story is told of before it starts. */
export interface DemoChain {
  /** Variables of the gateway's environment, such as its node's URL. */
  readonly env: Readonly<Record<string, string>>;
  /** What an operator puts into the gas wallet, and under which name that wallet is shown; null: the sandbox pays. */
  readonly gas: { readonly name: string; readonly currency: string; readonly amount: string } | null;
  /** Pays an address from a faucet; blocks come by themselves. Answers the transaction. */
  pay(request: DemoPayment): string;
  stop(): Promise<void>;
}

interface DemoPayment {
  readonly to: string;
  readonly currency: string;
  /** Decimal. */
  readonly amount: string;
}

/** The sandbox runs it itself, where the machine has the program. */
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

/** Between two blocks, or a few: quicker than the networks, for nobody wants to watch them. */
const BLOCKS_EVERY_MS = 300;

/** What executes transactions there is a package for tests. */
export async function withSolana(): Promise<DemoChain | string> {
  const found = await import('../test/doubles/solana/node.ts').catch(() => null);
  if (!found) return 'litesvm is not installed here (npm ci installs it, unless without development packages)';
  const node = await found.startSolanaNode();
  const { url, genesisHash, contracts } = node;
  return running(node, {
    ...{ network: 'SOL', blocks: 5, gas: { name: 'Solana', currency: 'SOL', amount: '1' } },
    env: { SOL_RPC_URL: url, SOL_GENESIS_HASH: genesisHash, ...contractsOf('SOL', contracts) },
  });
}

export async function withTron(): Promise<DemoChain | string> {
  const found = await import('../test/doubles/tron/double.ts').catch(() => null);
  if (!found) return 'what its double is made of is not installed here (npm ci installs it)';
  const double = await found.startTronDouble();
  const { url, chainId, contracts } = double;
  return running(double, {
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

interface Faucet {
  readonly chain: { mine(count: number): unknown };
  pay(request: { to: string; currency: string; amount: bigint }): string;
  stop(): Promise<void>;
}

interface Kind extends Pick<DemoChain, 'env' | 'gas'> {
  readonly network: Network;
  /** Made each time. */
  readonly blocks: number;
}

function running(faucet: Faucet, { network, blocks, env, gas }: Kind): DemoChain {
  const miner = setInterval(() => faucet.chain.mine(blocks), BLOCKS_EVERY_MS);
  return {
    ...{ env, gas },
    pay: ({ to, currency, amount }) => {
      const units = parseAmount(amount, assetOf({ currency, network }).decimals);
      if (units === null) throw new Error(`This is no amount of ${currency}: ${amount}`);
      return faucet.pay({ to, currency, amount: units });
    },
    stop: () => {
      clearInterval(miner);
      return faucet.stop();
    },
  };
}
