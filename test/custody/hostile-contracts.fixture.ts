// Contracts that no wallet expects as recipients, as EVM bytecode.

/** Contracts by what they do with any call. */
export const HOSTILE = {
  /** INVALID: takes all gas without reverting. */
  'halts by 0xfe': '0xfe',
  /** JUMPDEST PUSH1 0 JUMP. */
  'loops without end': '0x5b600056',
  /** PUSH1 5 JUMP, to a place without a JUMPDEST. */
  'jumps to nowhere': '0x600556',
  /** PUSH1 0 PUSH1 0 REVERT. */
  reverts: '0x60006000fd',
} as const;

/** A contract that counts down from `times`, at 26 gas a step, and then stops. */
export const gasEater = (times: number): string => `0x62${times.toString(16).padStart(6, '0')}5b600190038060045700`;
