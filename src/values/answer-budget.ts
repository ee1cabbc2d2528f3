// The size limit of a GraphQL answer. Bytes are counted while the answer is built, so an answer that grows too large is
// abandoned early.

import { GatewayError } from './errors.ts';

/** The most bytes that an answer may have as JSON. */
export const MOST_ANSWER_BYTES = 10_000_000;
/** A character that JSON escapes or that takes several bytes. Longer texts are serialised instead, which is faster. */
const NOT_PLAIN = /[^ !#-[\]-~]/;
const MEASURED_FROM = 256;

/** The bytes that an answer may still use; negative once it is too large. */
export interface AnswerBudget {
  left: number;
}

export const createAnswerBudget = (left: number = MOST_ANSWER_BYTES): AnswerBudget => ({ left });

/** Deducts bytes. Throws 2001 if fewer are left, and on every later call. */
export function takeBytes(budget: AnswerBudget, bytes: number): void {
  budget.left -= bytes;
  if (budget.left < 0) throw tooLarge();
}

/** The error for an answer that is too large. It says how to ask for less at a time. */
export function tooLarge(): GatewayError {
  return new GatewayError('VALIDATION', {
    message:
      'The answer is larger than 10 MB: ask for smaller pages (`first`, then `after`), shorter times or fewer fields',
  });
}

/** The size of a leaf value in the answer, in bytes; an estimate for numbers and the like. */
export function sizeOfLeaf(value: unknown): number {
  if (typeof value === 'string') {
    const isPlain = value.length < MEASURED_FROM && !NOT_PLAIN.test(value);
    return isPlain ? value.length + 2 : Buffer.byteLength(JSON.stringify(value));
  }
  if (value instanceof Date) return 26;
  if (typeof value === 'object' && value !== null) return Buffer.byteLength(JSON.stringify(value));
  return 6;
}
