// Reads anvil's whole state as JSON text, in the form in which anvil loads it.

import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';

const inflate = promisify(gunzip);

/** Asks a node for its state. The adapter's client cannot: it rightly refuses answers of this size. */
export async function dumpState(url: string): Promise<Buffer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [] }),
  });
  const { result } = (await response.json()) as { result?: string };
  if (typeof result !== 'string') throw new Error('anvil did not give its state');
  return inflate(Buffer.from(result.slice(2), 'hex'));
}
