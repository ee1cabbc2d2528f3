// What a development chain lets the sandbox do on itself: real transactions and real blocks, made when asked.

/** A development chain that mines on demand. Every call is durable when it answers. */
export interface TestChainControl {
  /**
   * Pays an address from the faucet. `amount` in base units. `confirmations` n ≥ 0 mines the transaction and n blocks on
   * top of its own; −1 leaves it in the mempool.
   */
  deposit(request: {
    address: string;
    currency: string;
    amount: bigint;
    confirmations: number;
  }): Promise<{ readonly txHash: string }>;
  /** Mines blocks; answers the new tip's height. */
  mine(count: number): Promise<{ readonly height: number }>;
  /** Replaces the newest `depth` blocks by as many empty ones plus one; 2001 for a depth that cannot be. */
  reorg(depth: number): Promise<{ readonly height: number }>;
}
