// Which cell a token or a key belongs to, told by its form alone: nothing is verified and nothing is looked up,
// so it only says where a caller has to go.

import { GatewayError } from '../errors.ts';
import { cellOf } from '../id.ts';
import { ownCell } from './own-cell.ts';

const KEY = /^[ps]k_(?:test|live)_u(\d{3})/;

/** The cell of an API key's id or secret; null if it was made without one. */
export function cellOfKey(text: string): number | null {
  const digits = KEY.exec(text)?.[1];
  return digits === undefined ? null : Number(digits);
}

/** The cell of a bearer: a secret, an operator's token or an access token. */
export function cellOfBearer(bearer: string): number | null {
  if (bearer.startsWith('sk_')) return cellOfKey(bearer);
  // Of an operator: their session's id and a digest of it.
  if (bearer.startsWith('op_')) return cellOf(bearer.slice(3).split('.')[0] ?? '');
  return cellOf(subjectOf(bearer) ?? '');
}

/** Throws 9421, with the cell to go to, if that is known and not the one of this process. */
export function refuseForeign(cell: number | null): void {
  const own = ownCell();
  if (cell !== null && own !== null && cell !== own.cell) throw misdirected(cell);
}

/** The same for what is given as text, which is only read where there are cells. */
export function refuseForeignBearer(bearer: string): void {
  if (ownCell() !== null) refuseForeign(cellOfBearer(bearer));
}

/** 9421, with the cell to go to and, for people, where its console is. */
export function misdirected(cell: number, url?: string): GatewayError {
  const details = [
    { path: 'cell', message: String(cell) },
    ...(url === undefined ? [] : [{ path: 'url', message: url }]),
  ];
  return new GatewayError('MISDIRECTED', { message: `This belongs to cell ${String(cell)}`, details });
}

/** The subject that a JWT names; null for any other text. Tokens are at most 4,096 characters long. */
function subjectOf(token: string): string | null {
  const [, payload] = token.length > 4_096 ? [] : token.split('.');
  if (payload === undefined) return null;
  try {
    const { sub } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { sub?: unknown };
    return typeof sub === 'string' ? sub : null;
  } catch {
    return null;
  }
}
