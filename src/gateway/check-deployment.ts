// Checks what the configuration refers to before anything starts: certificates, keys, addresses, the keystore. All
// faults are reported at once.

import proxyAddr from '@fastify/proxy-addr';
import { access, constants, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { openAddressReader } from '../chain/address-reader.ts';
import { parseAccountXpub } from '../chain/extended-key.ts';
import { ConfigError, type Config } from '../config/config.ts';
import type { EntityManager } from '../database/connection.ts';
import { isOurs } from '../domain/operator/fees.ts';

type Fault = (name: string, message: string) => void;

/** Runs all checks. Throws `ConfigError` with every fault, by the names of the variables. */
export async function checkDeployment(config: Config): Promise<void> {
  const faults: string[] = [];
  const fault: Fault = (name, message) => void faults.push(`${name}: ${message}`);
  if (config.roles.has('api')) {
    await checkCertificate(config, fault);
    checkProxies(config, fault);
  }
  checkXpubs(config, fault);
  checkColdAddresses(config, fault);
  if (config.roles.has('signer')) await checkKeystore(config, fault);
  if (config.environment === 'live') await refuseSandboxSecrets(config, fault);
  if (faults.length > 0) throw new ConfigError(faults);
}

async function checkCertificate({ tls }: Config, fault: Fault): Promise<void> {
  if (tls === null) return;
  const [cert, key] = await Promise.all([
    readOrFault('TLS_CERT_PATH', tls.certPath, fault),
    readOrFault('TLS_KEY_PATH', tls.keyPath, fault),
  ]);
  if (cert === null || key === null) return;
  try {
    createSecureContext({ cert });
  } catch {
    return fault('TLS_CERT_PATH', `${tls.certPath} is not a PEM certificate`);
  }
  try {
    createSecureContext({ cert, key });
  } catch {
    fault('TLS_KEY_PATH', `${tls.keyPath} is not the PEM private key of the certificate in ${tls.certPath}`);
  }
}

async function readOrFault(name: string, path: string, fault: Fault): Promise<Buffer | null> {
  return readFile(path).catch((error: unknown) => {
    fault(name, `${path} cannot be read (${codeOf(error)})`);
    return null;
  });
}

function checkProxies({ trustProxy }: Config, fault: Fault): void {
  try {
    proxyAddr.compile([...trustProxy]);
  } catch (error) {
    fault('TRUST_PROXY', error instanceof Error ? error.message : String(error));
  }
}

function checkXpubs({ networks }: Config, fault: Fault): void {
  const seen = new Set<string>();
  for (const [network, { xpub }] of networks) {
    // Networks of one account share its key; keys of other versions are checked by their own adapters.
    if (xpub === null || !xpub.startsWith('xpub') || seen.has(xpub)) continue;
    seen.add(xpub);
    try {
      parseAccountXpub(xpub);
    } catch (error) {
      fault(`${network}_XPUB`, error instanceof Error ? error.message : String(error));
    }
  }
}

/** Checks that each is an address of its network. Whether it is one of our own is checked once the database is open. */
function checkColdAddresses(config: Config, fault: Fault): void {
  for (const [network, address] of config.coldAddresses) {
    if (!openAddressReader(config, network).parseAddress(address))
      fault(`${network}_COLD_ADDRESS`, `${address} is no address on that network`);
  }
}

/**
 * Checks that no cold address is a wallet of ours or was issued for an order: fees sent there would not leave the
 * gateway. Throws `ConfigError` with every fault.
 */
export async function checkColdAddressesAreForeign(config: Config, em: EntityManager): Promise<void> {
  const faults: string[] = [];
  for (const [network, address] of config.coldAddresses) {
    const adapter = openAddressReader(config, network);
    const key = adapter.parseAddress(address)?.key;
    if (key !== undefined && (await isOurs(em, adapter, key)))
      faults.push(
        `${network}_COLD_ADDRESS: ${address} is an address of this gateway: fees sent there would not leave it`,
      );
  }
  if (faults.length > 0) throw new ConfigError(faults);
}

/**
 * Checks only that the file is readable, and that the journal can be written: nothing may be signed without it. A wrong
 * passphrase shows when the seed is read, which is slow.
 */
async function checkKeystore({ keystore, journalDir }: Config, fault: Fault): Promise<void> {
  if (keystore === null) return;
  const { path } = keystore;
  try {
    await access(path, constants.R_OK);
  } catch (error) {
    return fault('KEYSTORE_PATH', `${path} cannot be read (${codeOf(error)}); \`npm run wallet -- init\` makes one`);
  }
  await access(journalDir, constants.W_OK).catch((error: unknown) =>
    fault('JOURNAL_DIR', `the signer's journal cannot be written to ${journalDir} (${codeOf(error)})`),
  );
}

/** Refuses the secret of a sandbox that ran on the same data folder: others may have seen it. */
async function refuseSandboxSecrets({ dataDir, secret, tokenSecrets }: Config, fault: Fault): Promise<void> {
  const sandboxSecret = await readFile(join(dataDir, 'secret'), 'utf8').catch(() => null);
  if (sandboxSecret === null) return;
  const message = "is the sandbox's secret; live needs a new one";
  if (secret === sandboxSecret.trim()) fault('TURNPIKE_SECRET', message);
  if (tokenSecrets.includes(sandboxSecret.trim())) fault('TOKEN_SECRETS', message);
}

const codeOf = (error: unknown): string => String((error as NodeJS.ErrnoException).code ?? error);
