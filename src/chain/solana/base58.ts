// Base58 without a checksum, as Solana writes addresses, blocks and transactions.

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';
const DIGITS = new Map([...ALPHABET].map((character, digit) => [character, digit]));
/** So many digits at a time fit into a number: blocks hold hundreds of addresses to be read. */
const AT_ONCE = 9;

/** A signature has 88 characters; decoding is quadratic. */
const MAX_LENGTH = 90;

/** The bytes of a text; null when a character is none of base58's. */
export function decodeBase58(text: string): Buffer | null {
  if (text.length > MAX_LENGTH) return null;
  let value = 0n;
  for (let first = 0; first < text.length; first += AT_ONCE) {
    const part = text.slice(first, first + AT_ONCE);
    let units = 0;
    for (const character of part) {
      const digit = DIGITS.get(character);
      if (digit === undefined) return null;
      units = units * 58 + digit;
    }
    value = value * 58n ** BigInt(part.length) + BigInt(units);
  }
  const leadingZeros = /^1*/.exec(text)?.[0].length ?? 0;
  const hex = value === 0n ? '' : value.toString(16);
  const digits = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.alloc(leadingZeros), digits]);
}

/** Writes bytes; each zero in front is a `1`. */
export function encodeBase58(bytes: Uint8Array): string {
  const firstDigit = bytes.findIndex((byte) => byte !== 0);
  if (firstDigit < 0) return '1'.repeat(bytes.length);
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  for (; value > 0n; value /= 58n) text = `${ALPHABET[Number(value % 58n)] ?? ''}${text}`;
  return '1'.repeat(firstDigit) + text;
}
