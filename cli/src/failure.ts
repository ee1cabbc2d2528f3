// How a command ends that did not do what it was asked for: a message, and a code for scripts.

import { ApiError, AuthenticationError, ConnectionError, PermissionError, UnavailableError } from '#sdk';

/** The exit codes, as docs/guide/command-line.md lists them. */
export const EXIT = {
  done: 0,
  fault: 1,
  usage: 2,
  notAllowed: 3,
  refused: 4,
  unreachable: 5,
  otherOutcome: 6,
  timedOut: 7,
  unsafe: 8,
  interrupted: 130,
} as const;

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** A command's end that is no fault of the program. */
export class Failure extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode, message: string) {
    super(message);
    this.name = 'Failure';
    this.exitCode = exitCode;
  }
}

/** What was typed cannot be carried out. */
export const usage = (message: string): Failure => new Failure(EXIT.usage, message);

/** What was typed would put a key, a secret or real money at risk. */
export const unsafe = (message: string): Failure => new Failure(EXIT.unsafe, message);

/** The exit code of whatever was thrown. */
export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Failure) return error.exitCode;
  if (error instanceof AuthenticationError || error instanceof PermissionError) return EXIT.notAllowed;
  if (error instanceof ConnectionError || error instanceof UnavailableError) return EXIT.unreachable;
  return error instanceof ApiError ? EXIT.refused : EXIT.fault;
}
