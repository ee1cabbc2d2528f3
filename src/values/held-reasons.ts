// The reasons why a payout is held (`heldReason`). None of them ends a payout: it continues once the reason is gone.

/** By code: the reason in words, for documents and logs. */
export const HELD_REASONS = {
  FROZEN: 'the operator froze payouts',
  NETWORK_HALTED: "the network's payouts are stopped until the operator has recovered the database",
  ASSET_OFF: 'the asset is out of service',
  DEPOSIT_UNSURE: 'a deposit that covers it left the chain in a reorganisation, and may come back',
  TOO_EXPENSIVE: 'sending it would cost more than the operator allows',
  MISSING_FUNDS: 'the paying wallets hold too little',
  MISSING_GAS: 'the gas wallet holds too little for the fee',
  RECIPIENT_REFUSES: 'the recipient refuses the transfer; we try again',
  NOT_ACCEPTED: 'the nodes do not accept its transaction',
  NOT_COLD_ADDRESS: 'fees leave only to the cold address that the signer is configured with',
  RESULT_UNCLEAR: 'its transaction was mined, but its effect cannot be read; the operator has to check it',
} as const;

export type HeldReason = keyof typeof HELD_REASONS;
