// Stores the seed: in an encrypted file in live, in a plain file of mode 600 in the sandbox. Nothing here logs, and no
// error carries a secret.

import { createCipheriv, createDecipheriv, createHash, randomBytes, scrypt } from 'node:crypto';
import { access, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entropyToMnemonic, generateMnemonic, mnemonicToEntropy, mnemonicToSeed, validateMnemonic } from '@scure/bip39';
import { wordlist } from '@scure/bip39/wordlists/english.js';
import { refuseIfShared, writeNewPrivateFile } from './private-file.ts';

interface KeystoreOptions {
  path: string;
  /** Any Unicode text, normalised (NFKD) so that it can be typed on another keyboard. */
  passphrase: string;
}

/**
 * Creates an encrypted keystore and returns its 24 words, to be shown once and written down, and its seed (64 bytes).
 * `mnemonic` restores an existing wallet instead of making a new one. Throws when the file exists.
 */
export async function createKeystore(
  options: KeystoreOptions & { mnemonic?: string },
): Promise<{ mnemonic: string; seed: Uint8Array }> {
  const { path, passphrase, mnemonic = newMnemonic() } = options;
  if (passphrase.length < MIN_PASSPHRASE) {
    throw new Error(`The keystore's passphrase needs at least ${String(MIN_PASSPHRASE)} characters`);
  }
  const words = readMnemonic(mnemonic, 'The mnemonic');
  const text = await encrypt(mnemonicToEntropy(words, wordlist), passphrase);
  if (!(await writeNewPrivateFile(path, text))) throw new Error(`${path} exists; a keystore is never overwritten`);
  return { mnemonic: words, seed: await mnemonicToSeed(words) };
}

/**
 * Opens a keystore and returns its BIP-39 seed (64 bytes). Throws `KeystoreDamaged` when the file was changed,
 * `WrongPassphrase` when it is intact but cannot be decrypted.
 */
export async function openKeystore({ path, passphrase }: KeystoreOptions): Promise<Uint8Array> {
  const entropy = await decrypt(await readFile(path, 'utf8'), path, passphrase);
  return mnemonicToSeed(entropyToMnemonic(entropy, wordlist));
}

/** The file with the sandbox's words, in its data folder. */
const SANDBOX_FILE = 'sandbox-mnemonic';

/**
 * The sandbox's seed (64 bytes): 24 words in a plain file, created at the first start. Test money needs no passphrase,
 * but a file that others can read is refused, so that nobody gets used to it.
 */
export async function openOrCreateSandboxSeed({ dataDir }: { dataDir: string }): Promise<Uint8Array> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, SANDBOX_FILE);
  // If another process was first, its file counts.
  if (!(await exists(path))) await writeNewPrivateFile(path, `${newMnemonic()}\n`);
  await refuseIfShared(path);
  return mnemonicToSeed(readMnemonic(await readFile(path, 'utf8'), path));
}

/** The sandbox's seed (64 bytes) if it exists, else null: for tools that must not create it. */
export async function openSandboxSeed({ dataDir }: { dataDir: string }): Promise<Uint8Array | null> {
  const path = join(dataDir, SANDBOX_FILE);
  if (!(await exists(path))) return null;
  await refuseIfShared(path);
  return mnemonicToSeed(readMnemonic(await readFile(path, 'utf8'), path));
}

/**
 * The seed (64 bytes) of a mnemonic that was written down. Throws, without repeating the words, if they are not valid.
 */
export async function seedOfWords(words: string): Promise<Uint8Array> {
  return mnemonicToSeed(readMnemonic(words, 'The text given'));
}

/** The file is not as it was written: truncated, edited, or not a keystore. */
export class KeystoreDamaged extends Error {
  constructor(path: string, reason: string) {
    super(`The keystore ${path} is damaged: ${reason}`);
    this.name = 'KeystoreDamaged';
  }
}

/**
 * The checksum matches but the file does not decrypt. AES-GCM cannot tell a wrong passphrase from a file that was
 * altered on purpose, checksum included.
 */
export class WrongPassphrase extends Error {
  constructor(path: string) {
    super(`The passphrase does not open the keystore ${path}`);
    this.name = 'WrongPassphrase';
  }
}

const MIN_PASSPHRASE = 12;
const FILE_KIND = 'turnpike-keystore';
/** 128 MiB and about half a second per guess. The bounds keep an altered file from demanding all the memory. */
const SCRYPT = { N: 2 ** 17, r: 8, p: 1 };
const MAX_SCRYPT_N = 2 ** 20;

/**
 * The file's content. Byte strings are hex. Everything but `ciphertext` and `tag` is authenticated as additional data.
 */
interface Header {
  kind: typeof FILE_KIND;
  version: 1;
  kdf: { name: 'scrypt'; N: number; r: number; p: number; salt: string };
  cipher: { name: 'aes-256-gcm'; iv: string };
}
interface KeystoreFile extends Header {
  /** The mnemonic's entropy, 32 bytes (16 to 32 when restored). */
  ciphertext: string;
  tag: string;
  /** SHA-256 of the rest, to tell damage from a wrong passphrase. It covers no plain text. */
  checksum: string;
}

async function encrypt(entropy: Uint8Array, passphrase: string): Promise<string> {
  const salt = randomBytes(32).toString('hex');
  const iv = randomBytes(12).toString('hex');
  const header: Header = {
    kind: FILE_KIND,
    version: 1,
    kdf: { name: 'scrypt', ...SCRYPT, salt },
    cipher: { name: 'aes-256-gcm', iv },
  };
  const key = await stretch(passphrase, header.kdf);
  const cipher = createCipheriv('aes-256-gcm', key, Buffer.from(iv, 'hex')).setAAD(additionalData(header));
  const ciphertext = Buffer.concat([cipher.update(entropy), cipher.final()]).toString('hex');
  key.fill(0);
  const content = { ...header, ciphertext, tag: cipher.getAuthTag().toString('hex') };
  return `${JSON.stringify({ ...content, checksum: checksumOf(content) }, null, 2)}\n`;
}

async function decrypt(text: string, path: string, passphrase: string): Promise<Uint8Array> {
  const file = parseFile(text, path);
  const key = await stretch(passphrase, file.kdf);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(file.cipher.iv, 'hex'), { authTagLength: 16 });
    decipher.setAAD(additionalData(file)).setAuthTag(Buffer.from(file.tag, 'hex'));
    return Buffer.concat([decipher.update(Buffer.from(file.ciphertext, 'hex')), decipher.final()]);
  } catch {
    // The cause adds nothing, so it is not passed on.
    throw new WrongPassphrase(path);
  } finally {
    key.fill(0);
  }
}

function parseFile(text: string, path: string): KeystoreFile {
  const file = parseJson(text);
  if (typeof file !== 'object' || file === null) throw new KeystoreDamaged(path, 'it is not the JSON of a keystore');
  const { kind, version } = file as Partial<Record<keyof KeystoreFile, unknown>>;
  if (kind !== FILE_KIND) throw new KeystoreDamaged(path, 'it is not a keystore');
  if (version !== 1) throw new Error(`The keystore ${path} has a version that this release does not read`);
  if (!hasParts(file)) throw new KeystoreDamaged(path, 'parts of it are missing');
  const { checksum, ...content } = file;
  if (checksum !== checksumOf(content)) throw new KeystoreDamaged(path, 'its checksum does not match its content');
  const { kdf, cipher, tag, ciphertext } = content;
  // A file that passes the checksum was written by us, or crafted to pass it: the bounds are for the latter.
  const isSound =
    [kdf.salt, cipher.iv, tag, ciphertext].every((bytes) => /^([0-9a-f]{2})+$/.test(bytes)) &&
    tag.length === 32 &&
    Number.isInteger(Math.log2(kdf.N)) &&
    kdf.N >= SCRYPT.N &&
    kdf.N <= MAX_SCRYPT_N &&
    kdf.r === SCRYPT.r &&
    kdf.p === SCRYPT.p;
  if (!isSound) throw new KeystoreDamaged(path, 'its parameters are out of bounds');
  return file;
}

/** Whether everything that the checksum covers is present; the values are checked afterwards. */
function hasParts(file: object): file is KeystoreFile {
  const { kdf, cipher, ciphertext, tag } = file as Partial<Record<keyof KeystoreFile, unknown>>;
  const areObjects = [kdf, cipher].every((part) => typeof part === 'object' && part !== null);
  return areObjects && typeof ciphertext === 'string' && typeof tag === 'string';
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

/** In a fixed order, so that the result does not depend on the layout of the JSON object. */
function additionalData({ kind, version, kdf, cipher }: Header): Buffer {
  return Buffer.from(JSON.stringify([kind, version, kdf.name, kdf.N, kdf.r, kdf.p, kdf.salt, cipher.name, cipher.iv]));
}

function checksumOf(content: Omit<KeystoreFile, 'checksum'>): string {
  const hash = createHash('sha256').update(additionalData(content));
  return hash.update(JSON.stringify([content.ciphertext, content.tag])).digest('hex');
}

/** The 32-byte key. By default Node lets scrypt use at most 32 MiB; it needs 128 × N × r bytes and a little more. */
function stretch(passphrase: string, { N, r, p, salt }: Header['kdf']): Promise<Buffer> {
  const maxmem = 128 * N * r + 4 * 1024 * 1024;
  return new Promise((resolve, reject) => {
    scrypt(passphrase.normalize('NFKD'), Buffer.from(salt, 'hex'), 32, { N, r, p, maxmem }, (error, key) => {
      if (error) reject(error);
      else resolve(key);
    });
  });
}

function newMnemonic(): string {
  return generateMnemonic(wordlist, 256);
}

/** Trims and validates; the words themselves never reach the error. */
function readMnemonic(text: string, what: string): string {
  const words = text.trim().split(/\s+/).join(' ');
  if (!validateMnemonic(words, wordlist)) throw new Error(`${what} does not hold a valid BIP-39 mnemonic`);
  return words;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
