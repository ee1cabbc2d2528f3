// Reads secrets from files: X_FILE names the file with the value of X, for each variable that may contain a secret.

import { closeSync, openSync, readSync } from 'node:fs';
import { NETWORK_CODES, NETWORKS, type NetworkKind } from '../values/assets.ts';

export type Source = Readonly<Record<string, string | undefined>>;

/** Nodes' URLs often contain a key, and extended public keys link all addresses of a deployment. */
const OF_NETWORKS: Readonly<Record<NetworkKind, readonly string[]>> = {
  evm: ['RPC_URL', 'XPUB'],
  tron: ['RPC_URL', 'SOLIDITY_URL', 'API_KEY', 'XPUB'],
  solana: ['RPC_URL'],
  utxo: ['RPC_URL', 'ESPLORA_URL', 'XPUB'],
};

/** Every variable that may contain a secret. */
export const SECRET_VARIABLES: readonly string[] = [
  ...['TURNPIKE_SECRET', 'TOKEN_SECRETS', 'KEYSTORE_PASSPHRASE'],
  ...[
    'DATABASE_URL',
    'DATABASE_DIRECT_URL',
    'DATABASE_READ_URLS',
    'CELL_DIRECTORY_URL',
    'CELL_DIRECTORY_SECRET',
    'REDIS_URL',
    'SMTP_URL',
    'OIDC_CLIENT_SECRET',
    'OTEL_EXPORTER_OTLP_HEADERS',
  ],
  'COINGECKO_API_KEY',
  ...NETWORK_CODES.flatMap((network) => OF_NETWORKS[NETWORKS[network].kind].map((name) => `${network}_${name}`)),
];

/** No secret is longer. */
const MAX_BYTES = 64 * 1024;

/** The secrets that are given by files, by the names of their variables. A bad file is passed to `onFault` instead. */
export function readSecretFiles(
  source: Source,
  onFault: (secret: string, message: string) => void,
): ReadonlyMap<string, string> {
  const secrets = new Map<string, string>();
  for (const secret of SECRET_VARIABLES) {
    const path = source[`${secret}_FILE`]?.trim();
    if (!path) continue;
    if (source[secret]?.trim()) {
      onFault(secret, `must not be set together with ${secret}`);
      continue;
    }
    const { text, fault } = readSecret(path);
    if (fault === undefined) secrets.set(secret, text);
    else onFault(secret, fault);
  }
  return secrets;
}

type SecretRead = { readonly text: string; readonly fault?: undefined } | { readonly fault: string; text?: undefined };

/** The only line of a file, or what is wrong with it. Neither repeats the path: a secret may stand there by mistake. */
function readSecret(path: string): SecretRead {
  let bytes: Buffer;
  try {
    bytes = readStart(path, MAX_BYTES + 1);
  } catch (error) {
    return { fault: `the file cannot be read (${String((error as NodeJS.ErrnoException).code ?? error)})` };
  }
  if (bytes.length > MAX_BYTES) return { fault: `the file is larger than ${MAX_BYTES / 1024} KiB` };
  const text = bytes.toString('utf8').trim();
  if (text === '') return { fault: 'the file is empty' };
  // URLs lose line breaks when they are parsed: two nodes, each on a line of its own, would become one.
  if (/[\p{Cc}\ufffd]/u.test(text)) return { fault: 'the file must contain one line of text' };
  return { text };
}

/** At most so many bytes, from a pipe as well, which has no size. */
function readStart(path: string, maxBytes: number): Buffer {
  const file = openSync(path, 'r');
  try {
    const buffer = Buffer.alloc(maxBytes);
    let length = 0;
    for (let read = -1; read !== 0 && length < maxBytes; length += read)
      read = readSync(file, buffer, length, maxBytes - length, null);
    return buffer.subarray(0, length);
  } finally {
    closeSync(file);
  }
}
