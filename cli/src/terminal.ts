// What is printed: text for people, or with --json one JSON document a line for programs.

import { ApiError } from '#sdk';
import { exitCodeOf } from './failure.ts';

/** Where a command prints. */
export interface Terminal {
  readonly isJson: boolean;
  /** Prints a result: `text` for people, `data` as a line of JSON. */
  show(data: unknown, text: string): void;
  /** Says something beside the result, on standard error; nothing with --json. */
  note(text: string): void;
}

/**
 * Without control characters: parts of what is printed were chosen by strangers (the path of a logged call), and a
 * terminal obeys what is printed on it.
 */
export const harmless = (text: string): string => text.replace(/[^\P{C}\n]/gu, '\uFFFD');

/** The terminal of a command. */
export function openTerminal(isJson: boolean): Terminal {
  return {
    isJson,
    show: (data, text) => void process.stdout.write(isJson ? `${JSON.stringify(data)}\n` : `${harmless(text)}\n`),
    note: (text) => void (isJson || process.stderr.write(`${harmless(text)}\n`)),
  };
}

/** Says on standard error why a command failed. */
export function showError(error: unknown, isJson: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const { code, requestId, details } = error instanceof ApiError ? error : { code: null, requestId: null, details: [] };
  if (isJson) {
    const said = { error: { message, exitCode: exitCodeOf(error), code, requestId, details } };
    process.stderr.write(`${JSON.stringify(said)}\n`);
    return;
  }
  const lines = [
    `turnpike: ${message}`,
    ...details.map((one) => `  ${one.path || '(body)'} ${one.message}`),
    ...(requestId === null ? [] : [`  request ${requestId}`]),
  ];
  process.stderr.write(`${harmless(lines.join('\n'))}\n`);
}
