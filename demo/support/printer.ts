// Prints a story on the terminal: numbered steps, requests and answers. Secrets are shortened, and colours need a
// terminal.

import { inspect, stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

export interface Printer {
  /** Begins the next step. */
  step(title: string): void;
  /** The number of steps begun. */
  steps(): number;
  /** A line of explanation. */
  say(text: string): void;
  sent(what: string, value?: unknown): void;
  /** An answer; of an object, prints only the fields in `show` and the number of the others. */
  came(what: string, value?: unknown, show?: readonly string[]): void;
  /** Something that arrived unasked: a webhook, a live update. */
  arrived(what: string, value?: unknown): void;
  /** An expectation that was met. */
  met(text: string): void;
  failed(text: string): void;
}

interface Terminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

const INDENT = ' '.repeat(6);
const LINE_LENGTH = 110;

/** Prints to a terminal, or to a file or pipe without colours. */
export function createPrinter(out: Terminal): Printer {
  const colors = out.isTTY === true && !process.env['NO_COLOR'];
  let steps = 0;
  const paint = (style: Style, text: string) => (colors ? styleText(style, text, { validateStream: false }) : text);
  const write = (text: string) => void out.write(`${text}\n`);
  const entry = (style: Style, mark: string, what: string, value?: unknown, more = '') => {
    const text = value === undefined ? '' : inspectWhole(value, colors) + paint('dim', more);
    const plain = `${what}${stripVTControlCharacters(text)}`;
    const gap = text === '' ? '' : plain.length > LINE_LENGTH || plain.includes('\n') ? `\n${INDENT}` : '  ';
    write(`    ${paint(style, mark)} ${shortenText(what)}${gap}${text.replaceAll('\n', `\n${INDENT}`)}`);
  };

  return {
    step(title) {
      steps += 1;
      write(`\n${paint('bold', `${String(steps).padStart(2)}. ${title}`)}`);
    },
    steps: () => steps,
    say: (text) => write(`    ${paint('dim', text)}`),
    sent: (what, value) => entry('cyan', '→', what, value),
    came(what, value, show) {
      const { shown, more } = pick(value, show);
      entry('blue', '←', what, shown, more);
    },
    arrived: (what, value) => entry('magenta', '⚡', what, value),
    met: (text) => write(`    ${paint('green', '✓')} ${text}`),
    failed: (text) => write(`\n${paint('red', '✗')} ${text}`),
  };
}

function pick(value: unknown, show: readonly string[] | undefined): { shown: unknown; more: string } {
  if (!show || value === null || typeof value !== 'object') return { shown: value, more: '' };
  const entries = Object.entries(value);
  const shown = entries.filter(([name]) => show.includes(name));
  const hidden = entries.length - shown.length;
  return { shown: Object.fromEntries(shown), more: hidden > 0 ? `  and ${hidden} more fields` : '' };
}

function inspectWhole(value: unknown, colors: boolean): string {
  return inspect(shorten(value), { colors, depth: 8, breakLength: 100, compact: 4 });
}

/** Keys, webhook secrets and tokens, anywhere in a text: their first characters are enough to recognise them. */
const SECRETS = /\b((?:sk_(?:test|live)_|whsec_|eyJ).{6})[\w+/=.-]*/g;

function shortenText(text: string): string {
  return text.replaceAll(SECRETS, '$1…');
}

/** A copy of the value with its secrets shortened. */
function shorten(value: unknown): unknown {
  if (typeof value === 'string') return shortenText(value);
  if (Array.isArray(value)) return value.map(shorten);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [name, name === 'password' ? '…' : shorten(field)]),
  );
}
