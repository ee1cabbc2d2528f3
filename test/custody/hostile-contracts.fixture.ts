// Contracts that no wallet expects as recipients, as bytes of the virtual machine.

/** Each by what it does with whatever is sent to it. */
export const HOSTILE = {
  /** INVALID: it takes all gas, and does not revert. */
  'halts by 0xfe': '0xfe',
  /** JUMPDEST PUSH1 0 JUMP. */
  'loops without end': '0x5b600056',
  /** PUSH1 5 JUMP, where no JUMPDEST is. */
  'jumps to nowhere': '0x600556',
  /** PUSH1 0 PUSH1 0 REVERT. */
  reverts: '0x60006000fd',
} as const;

/** A contract that counts down from `times`, which takes 26 gas each, and then stops. */
export const gasEater = (times: number): string => `0x62${times.toString(16).padStart(6, '0')}5b600190038060045700`;
