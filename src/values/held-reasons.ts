// The reasons why a payout is held (`heldReason`). None of them ends a payout: it continues once the reason is gone.

/** By code: the reason in words, for documents and logs. */
export const HELD_REASONS = {
  FROZEN: 'the operator froze payouts',
  NETWORK_HALTED: "the network's payouts stand still until the operator has recovered the database",
  ASSET_OFF: 'the asset is out of service',
  DEPOSIT_UNSURE: 'a deposit that backs it left the chain, and may come back',
  TOO_EXPENSIVE: 'sending it would cost more than the operator allows',
  MISSING_FUNDS: 'the wallets that pay hold less than it needs',
  MISSING_GAS: 'the gas wallet holds less than it needs',
  RECIPIENT_REFUSES: 'the recipient refuses the transfer; it is tried again',
  NOT_ACCEPTED: 'the nodes do not take its transaction',
  RESULT_UNCLEAR: 'its transaction was mined, and what it moved cannot be read; the operator looks at it',
} as const;

export type HeldReason = keyof typeof HELD_REASONS;
