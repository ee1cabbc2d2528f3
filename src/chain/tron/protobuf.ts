// Encodes and decodes protocol buffers as far as TRON transactions need them: varints and length-delimited fields.
// https://protobuf.dev/programming-guides/encoding/

/** A field to encode: a whole number (zero is omitted, as in proto3) or bytes. */
export type Field = readonly [number: number, value: bigint | Uint8Array];

/** A decoded message: by field number, all values of the field in order. */
export type Message = ReadonlyMap<number, readonly (bigint | Buffer)[]>;

/** The bytes are not a message with only supported kinds of fields. */
export class MalformedMessage extends Error {}

const VARINT = 0;
const FIXED_64 = 1;
const DELIMITED = 2;
const FIXED_32 = 5;

/** Encodes fields in the given order. The order must not vary, because the bytes are signed. */
export function encodeMessage(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap(([number, value]) => {
    if (typeof value === 'bigint')
      return value === 0n ? [] : [encodeVarint(BigInt(number << 3) | BigInt(VARINT)), encodeVarint(value)];
    return [encodeVarint(BigInt((number << 3) | DELIMITED)), encodeVarint(BigInt(value.length)), value];
  });
  return Buffer.concat(parts);
}

function encodeVarint(value: bigint): Buffer {
  if (value < 0n) throw new RangeError('negative numbers are not supported');
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7fn; rest >>= 7n) bytes.push(Number(rest & 0x7fn) | 0x80);
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}

/** Decodes a message. Fixed-width fields are skipped; anything else unsupported throws `MalformedMessage`. */
export function decodeMessage(bytes: Uint8Array): Message {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const fields = new Map<number, (bigint | Buffer)[]>();
  let offset = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = buffer[offset++];
      if (byte === undefined) break;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    throw new MalformedMessage('a number has no end');
  };
  const skip = (length: number): Buffer => {
    if (offset + length > buffer.length) throw new MalformedMessage('a field is longer than the message');
    offset += length;
    return buffer.subarray(offset - length, offset);
  };
  while (offset < buffer.length) {
    const tag = varint();
    const number = Number(tag >> 3n);
    const kind = Number(tag & 7n);
    if (kind === FIXED_64 || kind === FIXED_32) {
      skip(kind === FIXED_64 ? 8 : 4);
      continue;
    }
    if (kind !== VARINT && kind !== DELIMITED) throw new MalformedMessage(`a field is of kind ${String(kind)}`);
    const value = kind === VARINT ? varint() : skip(Number(varint()));
    const values = fields.get(number);
    if (values) values.push(value);
    else fields.set(number, [value]);
  }
  return fields;
}

/** The last value of a whole-number field; 0 if absent (proto3). */
export function numberIn(message: Message, field: number): bigint {
  const value = message.get(field)?.at(-1) ?? 0n;
  if (typeof value !== 'bigint') throw new MalformedMessage(`field ${String(field)} is not a number`);
  return value;
}

/** The last value of a bytes field; empty if absent (proto3). */
export function bytesIn(message: Message, field: number): Buffer {
  const value = message.get(field)?.at(-1) ?? Buffer.alloc(0);
  if (typeof value === 'bigint') throw new MalformedMessage(`field ${String(field)} is not bytes`);
  return value;
}
