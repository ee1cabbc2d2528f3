// Writes payment URIs for EVM wallets (EIP-681).

interface UriRequest {
  chainId: number;
  /** The token's contract; null for the coin. */
  contract: string | null;
  /** The recipient, with EIP-55 checksum. */
  address: string;
  /** Base units. */
  amount: bigint;
}

/**
 * `ethereum:<to>@<chain>?value=<wei>` for the coin, `ethereum:<token>@<chain>/transfer?address=<to>&uint256=<units>`
 * for a token. The chain id is always included, because without it wallets use whichever network they currently show.
 */
export function eip681Uri({ chainId, contract, address, amount }: UriRequest): string {
  const chain = String(chainId);
  const units = amount.toString();
  return contract === null
    ? `ethereum:${address}@${chain}?value=${units}`
    : `ethereum:${contract}@${chain}/transfer?address=${address}&uint256=${units}`;
}
