// Checks what lies on this machine: disks, the keystore, and the signer's journal.

import { stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { KeystoreDamaged, openKeystore, WrongPassphrase } from '../../custody/keys/keystore.ts';
import { JournalDamaged, openJournal } from '../../custody/witness/journal.ts';
import { hasTransactions } from '../../database/queries/payouts/signing-state.ts';
import type { Network } from '../../values/assets.ts';
import type { Examination } from './examination.ts';
import { fault, ok, orOk, reasonOf, showBytes, warning, type Finding } from './finding.ts';

const GB = 10 ** 9;
/** The share of a disk, and the bytes, that should be free. */
const LOW = { share: 0.1, bytes: 2 * GB };
const ALMOST_FULL = { share: 0.02, bytes: 0.2 * GB };

export async function checkDisk({ config, server }: Examination): Promise<Finding[]> {
  const folders: (readonly [string, string])[] = [
    ['DATA_DIR', config.dataDir],
    ...(config.keystore === null ? [] : [['the keystore', dirname(config.keystore.path)] as const]),
    ...(await localDataOf(server)),
  ];
  // Several of them on one disk are one line.
  const disks = new Map<number, { readonly names: string[]; readonly free: number; readonly size: number }>();
  for (const [name, path] of folders) {
    const { device, free, size } = await lookAt(path);
    const disk = disks.get(device) ?? { names: [], free, size };
    disk.names.push(name);
    disks.set(device, disk);
  }
  return [...disks.values()].map(judgeSpace);
}

export function judgeSpace({ names, free, size }: { names: string[]; free: number; size: number }): Finding {
  const found = `${showBytes(free)} of ${showBytes(size)} are free for ${names.join(', ')}`;
  const isBelow = ({ share, bytes }: typeof LOW) => free < Math.min(bytes, share * size);
  if (isBelow(ALMOST_FULL)) return fault(found, 'make room: with a full disk nothing is signed');
  return isBelow(LOW) ? warning(found, 'make room, and let an alert watch it') : ok(found);
}

/** The server's own folder, if it is on this machine and our role may know where. */
async function localDataOf(server: Examination['server']): Promise<(readonly [string, string])[]> {
  const path = server?.isRemote === false ? server.settings.get('data_directory') : undefined;
  const isHere = path !== undefined && (await stat(path).catch(() => null)) !== null;
  return isHere ? [['the database', path]] : [];
}

/** The disk of a folder that may not exist yet. */
async function lookAt(path: string): Promise<{ device: number; free: number; size: number }> {
  const found = await stat(path).catch(() => null);
  if (found === null && dirname(path) !== path) return lookAt(dirname(path));
  const { bavail, blocks, bsize } = await statfs(path);
  return { device: found?.dev ?? 0, free: bavail * bsize, size: blocks * bsize };
}

export async function checkKeystore({ config }: Examination): Promise<Finding[]> {
  const { keystore, roles, environment } = config;
  if (!roles.has('signer'))
    return orOk(
      [
        keystore === null
          ? null
          : fault(
              'this process does not sign, and has the keystore and its passphrase',
              'remove KEYSTORE_PATH and KEYSTORE_PASSPHRASE from it, and the file from its reach',
            ),
      ],
      'out of reach',
    );
  if (keystore === null) {
    const found = 'KEYSTORE_PATH is not set: payouts wait';
    return [environment === 'live' ? fault(found, 'run npm run wallet -- init, and set it') : ok("the sandbox's own")];
  }
  const access = await judgeAccess(keystore.path);
  return orOk(
    [
      ...access,
      await judgePassphrase(keystore),
      roles.has('api') && environment === 'live'
        ? warning(
            'the process that faces the internet holds the keys',
            'run the signer in a process of its own (ROLES)',
          )
        : null,
    ],
    `${keystore.path} opens, and only its owner can read it`,
  );
}

/** Who can read or replace the file. */
async function judgeAccess(path: string): Promise<(Finding | null)[]> {
  const [file, folder] = await Promise.all([stat(path), stat(dirname(path))]);
  const mode = (file.mode & 0o777).toString(8);
  const { uid } = userInfo();
  return [
    (file.mode & 0o077) === 0 ? null : fault(`${path} can be read by others (mode ${mode})`, `run: chmod 600 ${path}`),
    file.uid === uid || file.uid === 0
      ? null
      : fault(`${path} belongs to another user (id ${String(file.uid)})`, `run: chown ${String(uid)} ${path}`),
    (folder.mode & 0o022) === 0
      ? null
      : fault(
          `others can replace the keystore: they may write to ${dirname(path)}`,
          `run: chmod go-w ${dirname(path)}`,
        ),
  ];
}

async function judgePassphrase(keystore: { path: string; passphrase: string }): Promise<Finding | null> {
  try {
    (await openKeystore(keystore)).fill(0);
    return null;
  } catch (error) {
    if (error instanceof WrongPassphrase)
      return fault(error.message, 'set KEYSTORE_PASSPHRASE to the one with which it was made');
    if (error instanceof KeystoreDamaged)
      return fault(error.message, 'put a good copy in its place, or restore it from the words: docs/custody.md');
    return fault(`the keystore cannot be opened: ${reasonOf(error)}`, 'look at KEYSTORE_PATH');
  }
}

export async function checkJournal({ config, db, schema }: Examination): Promise<Finding[]> {
  const folder = config.journalDir;
  const networks = [...config.networks.keys(), ...config.sandboxNetworks];
  const hasBook = schema !== null && schema.version > 0;
  const findings = await Promise.all(
    networks.map(async (network) => {
      const isSigning = db !== null && hasBook && (await hasTransactions(db.em, network));
      return judgeJournal(folder, network, isSigning);
    }),
  );
  return orOk(findings, `in ${folder}; nothing is missing or damaged`);
}

/** Reads it as a signer's start does. */
async function judgeJournal(folder: string, network: Network, isSigning: boolean): Promise<Finding | null> {
  const journal = openJournal({ folder, network });
  if (!(await journal.exists()))
    return isSigning
      ? fault(
          `that of ${network} is not in ${folder}, and its book has transactions: the network will be halted`,
          'put it back; docs/guide/backup-and-restore.md says what to do if it is lost',
        )
      : null;
  try {
    await journal.scan(() => Promise.resolve());
    return null;
  } catch (error) {
    const remedy = error instanceof JournalDamaged ? 'put a good copy in its place' : 'look at its files';
    return fault(reasonOf(error), `${remedy}; see docs/guide/backup-and-restore.md`);
  }
}
