// How large the answer of a GraphQL query may become. It is counted while it is made, so that what is too large is given up
// before it is all there.

import { GatewayError } from './errors.ts';

/** Bytes of a query's answer, as JSON. */
export const MOST_ANSWER_BYTES = 10_000_000;
/** What takes more than one byte, or is escaped; to look for it in longer texts is slower than to write them. */
const NOT_PLAIN = /[^ !#-[\]-~]/;
const MEASURED_FROM = 256;

/** What is left to one answer, in bytes; below zero once it is too large. */
export interface AnswerRoom {
  left: number;
}

export const createAnswerRoom = (left: number = MOST_ANSWER_BYTES): AnswerRoom => ({ left });

/** Takes so many bytes. Throws 2001 when they are more than is left, and each time after that. */
export function takeRoom(room: AnswerRoom, bytes: number): void {
  room.left -= bytes;
  if (room.left < 0) throw tooLarge();
}

/** Says how to ask for less at a time. */
export function tooLarge(): GatewayError {
  return new GatewayError('VALIDATION', {
    message:
      'The answer is larger than 10 MB: ask for smaller pages (`first`, then `after`), shorter times or fewer fields',
  });
}

/** What a leaf takes in the answer, in bytes; numbers and the like about. */
export function sizeOfLeaf(value: unknown): number {
  if (typeof value === 'string') {
    const isPlain = value.length < MEASURED_FROM && !NOT_PLAIN.test(value);
    return isPlain ? value.length + 2 : Buffer.byteLength(JSON.stringify(value));
  }
  if (value instanceof Date) return 26;
  if (typeof value === 'object' && value !== null) return Buffer.byteLength(JSON.stringify(value));
  return 6;
}
