// Controls a test chain in the sandbox: sends real transactions and mines real blocks on demand.

/** Every change is durable when the call returns. */
export interface TestChainControl {
  /**
   * Pays an address from the faucet, in base units. `confirmations` n ≥ 0 mines the transaction and n blocks on top of
   * its own; −1 leaves it in the mempool.
   */
  deposit(request: {
    address: string;
    currency: string;
    amount: bigint;
    confirmations: number;
  }): Promise<{ readonly txHash: string }>;
  /** Mines blocks; answers the new tip's height. */
  mine(count: number): Promise<{ readonly height: number }>;
  /** Replaces the newest `depth` blocks with `depth` + 1 empty ones; error 2001 if the depth is impossible. */
  reorg(depth: number): Promise<{ readonly height: number }>;
}
