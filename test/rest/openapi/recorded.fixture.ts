// Answers as examples for the document: without secrets, and with ids, times and hashes that do not change from one
// recording to the next.

import { createHash } from 'node:crypto';

const TIME_OF_EXAMPLES = Date.parse('2026-11-21T10:40:00.000Z');
const MOST_ITEMS = 2;
/** Numbers that depend on the machine, or on what others did on the chain. */
const NUMBERS: Readonly<Record<string, number>> = {
  durationMs: 12,
  response_time_ms: 12,
  blockNumber: 42,
  sequence: 7,
};
const CURSORS = /^(nextCursor|cursor)$/;

/** Makes the function that turns a recorded text into an example; the same of one gateway for all. */
export function createTidy(gatewayUrl: string) {
  const startedAtMs = Date.now();
  const known = new Map<string, string>();
  const replaced = (text: string, make: (index: number) => string) => {
    const kept = known.get(text) ?? make(known.size);
    known.set(text, kept);
    return kept;
  };
  const hex = (index: number, length: number) =>
    createHash('sha256').update(String(index)).digest('hex').slice(0, length);

  return (text: string): object => {
    const same = text
      .replaceAll(gatewayUrl, 'https://pay.example')
      .replaceAll(/\b([a-z]{3})_[0-9a-z]{22,}\b/g, (id, prefix: string) =>
        replaced(id, (index) => `${prefix}_06hn3k8v${index.toString(32).padStart(id.length - 12, '0')}`),
      )
      .replaceAll(/\b([ps]k_test_|whsec_|eyJ)[\w+/=.-]{8,}/g, '$1…')
      .replaceAll(/\b0x([0-9a-fA-F]{64}|[0-9a-fA-F]{40})\b/g, (all, digits: string) =>
        replaced(all, (index) => `0x${hex(index, digits.length)}`),
      )
      .replaceAll(/\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, (id) =>
        replaced(id, (index) => hex(index, 32).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')),
      )
      .replaceAll(/\bshop-[0-9a-f]{16}@example\.com/g, 'owner@shop.example')
      .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, (time) => {
        const minutes = Math.round((Date.parse(time) - startedAtMs) / 60_000);
        return new Date(TIME_OF_EXAMPLES + minutes * 60_000).toISOString();
      });
    return JSON.parse(same, (key, value: unknown) => {
      if (typeof value === 'number' && key in NUMBERS) return NUMBERS[key];
      if (typeof value === 'string' && CURSORS.test(key)) return 'AWq3b0ZcT9x-…';
      if (typeof value === 'string' && key === 'period') return '2026-11-21';
      return Array.isArray(value) && typeof value[0] === 'object' ? value.slice(0, MOST_ITEMS) : value;
    }) as object;
  };
}
