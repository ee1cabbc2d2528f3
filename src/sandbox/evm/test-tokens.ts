// The sandbox's faucet and its test USDT and USDC, which have the same addresses on every development chain.

import { readFileSync } from 'node:fs';
import type { Abi, Hex } from 'viem';
import { encodeDeployData, encodeFunctionData, getContractAddress, keccak256, parseAbi, toBytes } from 'viem/utils';
import { privateKeyToAccount } from 'viem/accounts';
import type { Rpc } from '../../chain/evm/rpc.ts';
import { findAsset, type Network } from '../../values/assets.ts';
import { hex } from './steps.ts';

/**
 * Private keys that are public knowledge, for chains whose coins are worthless. Not anvil's, so that nobody else uses
 * up their nonces.
 */
const accountOf = (name: string) => privateKeyToAccount(keccak256(toBytes(`turnpike sandbox ${name}`)));
const faucet = accountOf('faucet');
const deployer = accountOf('deployer');

/** The account that pays for simulated customers. */
export const FAUCET = faucet.address;

const TRANSFER = parseAbi(['function transfer(address to, uint256 value) returns (bool)']);

/** In base units of any currency: a million of the largest deposits hardly diminish it. */
const FAUCET_BALANCE = 10n ** 60n;
const SUPPORTED = ['USDT', 'USDC'] as const;
const TEST_DECIMALS = 6;
const FEES = { maxFeePerGas: 100_000_000_000n, maxPriorityFeePerGas: 1_000_000_000n } as const;

/** Token contracts by currency: the deployer's first transactions, so their addresses are known in advance. */
export const TEST_TOKENS: ReadonlyMap<string, Hex> = new Map(
  SUPPORTED.map((currency, nonce) => [currency, getContractAddress({ from: deployer.address, nonce: BigInt(nonce) })]),
);

/** The test tokens that can stand for a network's own: those with 6 decimals, as on most networks. */
export function testTokensOf(network: Network): ReadonlyMap<string, Hex> {
  return new Map([...TEST_TOKENS].filter(([currency]) => findAsset(currency, network)?.decimals === TEST_DECIMALS));
}

/** Signs the transactions that create the tokens, all minted to the faucet. The same bytes each time for a chain id. */
export async function signDeployments(chainId: number): Promise<Hex[]> {
  return Promise.all(
    SUPPORTED.map((currency, nonce) => {
      const { abi, bytecode } = readArtifact(currency);
      const data = encodeDeployData({ abi, bytecode, args: [FAUCET, FAUCET_BALANCE] });
      return deployer.signTransaction({ type: 'eip1559', chainId, nonce, data, gas: 2_000_000n, ...FEES });
    }),
  );
}

/** Sets the balances of the faucet and the deployer, which only a development node allows. */
export async function fundFaucet(rpc: Rpc): Promise<void> {
  await rpc.call('anvil_setBalance', [FAUCET, hex(FAUCET_BALANCE)]);
  await rpc.call('anvil_setBalance', [deployer.address, hex(10n ** 20n)]);
}

/** Signs a transfer from the faucet; a `currency` without a test token is the coin. Amount in base units. */
export async function signDeposit(request: {
  chainId: number;
  nonce: number;
  address: Hex;
  currency: string;
  amount: bigint;
}): Promise<Hex> {
  const { chainId, nonce, address, currency, amount } = request;
  const token = TEST_TOKENS.get(currency);
  const common = { type: 'eip1559', chainId, nonce, ...FEES } as const;
  if (!token) return faucet.signTransaction({ ...common, to: address, value: amount, gas: 100_000n });
  const data = encodeFunctionData({ abi: TRANSFER, functionName: 'transfer', args: [address, amount] });
  return faucet.signTransaction({ ...common, to: token, data, gas: 200_000n });
}

/**
 * The faucet's first nonce that is neither mined nor waiting, so that a gap left by a reorganisation is filled first.
 */
export async function nextFaucetNonce(rpc: Rpc): Promise<number> {
  const taken = new Set<number>();
  const pool = (await rpc.call('txpool_content', [])) as Record<string, Record<string, Record<string, unknown>>>;
  for (const bySender of Object.values(pool)) {
    for (const [sender, byNonce] of Object.entries(bySender)) {
      if (sender.toLowerCase() === FAUCET.toLowerCase())
        Object.keys(byNonce).forEach((nonce) => taken.add(Number(nonce)));
    }
  }
  let nonce = Number(await rpc.call('eth_getTransactionCount', [FAUCET, 'latest']));
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

function readArtifact(currency: string): { abi: Abi; bytecode: Hex } {
  const file = new URL(`./contracts/test-${currency.toLowerCase()}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as { abi: Abi; bytecode: Hex };
}
