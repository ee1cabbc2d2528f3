// Payment URIs of EVM networks (EIP-681).

interface UriRequest {
  chainId: number;
  /** The token's contract, null for the coin. */
  contract: string | null;
  /** The receiver, checksummed. */
  address: string;
  /** Base units. */
  amount: bigint;
}

/**
 * `ethereum:<to>@<chain>?value=<wei>` for the coin, `ethereum:<token>@<chain>/transfer?address=<to>&uint256=<units>`
 * for a token. The chain is always written, because wallets take its absence for "the network I happen to show".
 */
export function eip681Uri({ chainId, contract, address, amount }: UriRequest): string {
  const chain = String(chainId);
  const units = amount.toString();
  return contract === null
    ? `ethereum:${address}@${chain}?value=${units}`
    : `ethereum:${contract}@${chain}/transfer?address=${address}&uint256=${units}`;
}
