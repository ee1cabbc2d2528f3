// What a wallet in the browser is asked to send, in the form of its network. The page carries it, and its script hands
// it to the wallet that the customer chooses.

import { print, stripIgnoredCharacters } from 'graphql';
import { parseAmount } from '../../../src/values/amount.ts';
import { findAsset, NETWORKS, parseNetwork } from '../../../src/values/assets.ts';
import type { Payable } from '../checkout.ts';
import { WalletTransactionDocument } from '../generated/operations.ts';

/** For a provider of EIP-1193: all numbers are hexadecimal. The wallet has to be on exactly this chain. */
interface EvmRequest {
  readonly kind: 'evm';
  readonly chainId: string;
  readonly to: string;
  readonly value: string;
  readonly data: string;
}

/** For a provider of TIP-1193. The wallet has to be on the chain that begins with this block. */
interface TronRequest {
  readonly kind: 'tron';
  readonly genesis: string;
  readonly to: string;
  /** Base units, decimal. */
  readonly amount: string;
  /** Null for TRX. */
  readonly contract: string | null;
}

/**
 * For a wallet of the Wallet Standard, which takes a whole transaction: the gateway makes it once the payer is known.
 */
interface SolanaRequest {
  readonly kind: 'solana';
  readonly chain: 'solana:mainnet' | 'solana:localnet';
  /** The order id. */
  readonly id: string;
  /** The operation that asks for the transaction. */
  readonly query: string;
}

export type TransferRequest = EvmRequest | TronRequest | SolanaRequest;

const WALLET_TRANSACTION = stripIgnoredCharacters(print(WalletTransactionDocument));

/** The first block of TRON's main network; its end is the chain id. */
const TRON_GENESIS = '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc';

/** The selector of `transfer(address,uint256)` (EIP-20). */
const TRANSFER = 'a9059cbb';

/**
 * The transfer that pays what is due; null where no wallet in a browser can be asked for it. On a development chain,
 * only a wallet that is on that very chain sends anything.
 */
export function transferRequestOf(checkout: Payable): TransferRequest | null {
  const network = parseNetwork(checkout.network);
  if (network === null) return null;
  const { kind } = NETWORKS[network];
  if (kind === 'evm') return evmRequestOf(checkout.paymentUri);
  if (kind === 'solana') {
    const chain = checkout.isMainNetwork ? 'solana:mainnet' : 'solana:localnet';
    return { kind, chain, id: checkout.id, query: WALLET_TRANSACTION };
  }
  if (kind !== 'tron' || !checkout.isMainNetwork) return null;
  const asset = findAsset(checkout.currency, network);
  const units = asset && parseAmount(checkout.amountDue, asset.decimals);
  if (!asset || units === null || (checkout.tokenContract === null) !== asset.isCoin) return null;
  const { address: to, tokenContract: contract } = checkout;
  return { kind, genesis: TRON_GENESIS, to, amount: String(units), contract };
}

/** Reads EIP-681 as this gateway writes it, so that the wallet is asked for what the code says. */
function evmRequestOf(paymentUri: string): EvmRequest | null {
  const coin = /^ethereum:(0x[0-9a-f]{40})@(\d+)\?value=(\d+)$/i.exec(paymentUri);
  if (coin) {
    const [, to = '', chain = '', value = ''] = coin;
    return { kind: 'evm', chainId: hex(chain), to, value: hex(value), data: '0x' };
  }
  const token = /^ethereum:(0x[0-9a-f]{40})@(\d+)\/transfer\?address=0x([0-9a-f]{40})&uint256=(\d+)$/i.exec(paymentUri);
  if (!token) return null;
  const [, to = '', chain = '', recipient = '', units = ''] = token;
  const word = (digits: string) => digits.toLowerCase().padStart(64, '0');
  const data = `0x${TRANSFER}${word(recipient)}${word(BigInt(units).toString(16))}`;
  return { kind: 'evm', chainId: hex(chain), to, value: '0x0', data };
}

const hex = (decimal: string) => `0x${BigInt(decimal).toString(16)}`;
