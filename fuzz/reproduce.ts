// A request as a command that can be pasted into a shell.

import type { WireRequest } from './state/http.ts';

const LONGEST = 4_000;

/** Uses `$URL` for the gateway, and the original tokens, which are valid for that run only. */
export function asCommand({ method, target, headers, body, isRaw }: WireRequest): string {
  const quote = (text: string) => `$'${[...text].map(escape).join('')}'`;
  const parts = ['curl', '-si', '--path-as-is', '-g', '-X', quote(method), `"$URL"${quote(target)}`];
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quote(`${name}: ${value}`));
  if (body !== null) parts.push('--data-binary', quoteBytes(body));
  return `${isRaw === true ? '# sent as raw bytes\n' : ''}${parts.join(' ')}`;
}

function escape(character: string): string {
  if (character === "'" || character === '\\') return `\\${character}`;
  const code = character.codePointAt(0) ?? 0;
  return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, '0')}` : character;
}

/** Quotes a body; only the beginning of a long one. */
function quoteBytes(body: Buffer): string {
  const shown = body.subarray(0, LONGEST);
  const text = [...shown].map((byte) => {
    if (byte === 0x27 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    return byte >= 32 && byte < 127 ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`;
  });
  const more = body.length > LONGEST ? ` # … ${body.length} bytes in all` : '';
  return `$'${text.join('')}'${more}`;
}
