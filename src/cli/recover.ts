// npm run recover: completes a network's book after its database was restored, and lets the network sign again.

import { userInfo } from 'node:os';
import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { readConfig, type Config } from '../config/config.ts';
import { openJournal } from '../custody/witness/journal.ts';
import { takeJournal } from '../custody/witness/journal-cell.ts';
import { readCell } from '../database/queries/deployment.ts';
import { openKeystore, openSandboxSeed } from '../custody/keys/keystore.ts';
import { recover, type Recovered } from '../custody/recovery/recover.ts';
import { createSeedSigner } from '../custody/keys/signer.ts';
import { createDatabaseClock } from '../database/clock.ts';
import type { Database } from '../database/connection.ts';
import type { Chain, Deps } from '../domain/deps.ts';
import { NETWORKS, parseNetwork, type Network } from '../values/assets.ts';
import { openAdapters } from './open-adapters.ts';
import { withDatabase } from './with-database.ts';

const USAGE = `npm run recover -- --network ETH

  Shows what a network's book lacks after its database was restored, and what would be done about it. Run it where the
  signer runs: it reads the signer's journal. See docs/guide/backup-and-restore.md for all steps.

  --apply                    does it, and lets the network sign again
  --attach HASH=wdr_…        which payout a transaction paid, if that is in doubt; may be repeated
  --attach HASH=none         it paid no payout of the book
  --accept-missing-journal   the journal is lost for good, or never existed; if the network's book is complete, as
                             after an upgrade, this starts a new one
  --gap 20000                addresses beyond the book's last index that lost orders may have
  --note "…", --by NAME      for the operator's log; the name is the system user by default
`;

const OPTIONS = {
  network: { type: 'string' },
  apply: { type: 'boolean', default: false },
  attach: { type: 'string', multiple: true },
  'accept-missing-journal': { type: 'boolean', default: false },
  gap: { type: 'string', default: '20000' },
  note: { type: 'string' },
  by: { type: 'string' },
} as const;

const say = (line: string) => void process.stdout.write(`${line}\n`);

/** Null if the arguments are invalid. */
function readArguments(args: string[]) {
  const { values } = parseArgs({ args, options: OPTIONS });
  const network = values.network === undefined ? null : parseNetwork(values.network);
  const pairs = (values.attach ?? []).map((text) => text.split('='));
  if (!network || !/^\d{1,7}$/.test(values.gap) || pairs.some((pair) => pair.length !== 2)) return null;
  return {
    ...{ network, apply: values.apply, acceptMissingJournal: values['accept-missing-journal'] },
    ...{ gap: Number(values.gap), note: values.note ?? null, operator: values.by ?? operatorName() },
    attached: new Map(pairs.map(([hash = '', id = '']) => [hash, id])),
  };
}

/** In a container the user may have a number and no name. */
function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${String(process.getuid?.() ?? 'unknown')}`;
  }
}

async function run(config: Config, asked: NonNullable<ReturnType<typeof readArguments>>): Promise<Recovered> {
  const { network } = asked;
  const signer = createSeedSigner(await openSeed(config));
  const log = pino({ level: 'error' }, pino.destination(2));
  const work = async (db: Database) => {
    // The paths of its keys depend on the cell of the database.
    const chain = await openChain(config, network);
    const silent = () => undefined;
    const deps: Deps = {
      ...{ db, log, clock: await createDatabaseClock(db.em), environment: config.environment },
      ...{
        chains: new Map([[network, chain]]),
        payUrl: config.payUrl,
        webhookAllowPrivate: config.webhookAllowPrivate,
      },
      signals: { events: silent, chain: silent, payouts: silent, deliveries: silent },
    };
    await takeJournal(config.journalDir, await readCell(db.em));
    const journal = openJournal({ folder: config.journalDir, network });
    return recover(deps, { ...asked, chain, signer, journal, say });
  };
  return withDatabase(config, work, { poolMax: 4 });
}

async function openSeed({ keystore, environment, dataDir }: Config): Promise<Uint8Array> {
  if (keystore !== null) return openKeystore(keystore);
  const seed = environment === 'sandbox' ? await openSandboxSeed({ dataDir }) : null;
  if (seed === null) throw new Error('Set KEYSTORE_PATH and KEYSTORE_PASSPHRASE: recovery needs the signer');
  return seed;
}

/** Opens the network as the gateway does. */
async function openChain(config: Config, network: Network): Promise<Chain> {
  const adapter = (await openAdapters(config)).find((one) => one.network === network);
  if (!adapter) throw new Error(`${network}_RPC_URL is missing: recovery looks for signed transactions on the chain`);
  if (config.environment === 'live') await adapter.verify();
  const quorumAbove = config.networks.get(network)?.quorumAbove;
  return {
    ...{ adapter, account: adapter.account, networkFees: new Map() },
    requiredConfirmations: config.confirmations.get(network) ?? NETWORKS[network].confirmations,
    ...(quorumAbove && { quorumAbove }),
  };
}

try {
  const asked = readArguments(process.argv.slice(2));
  if (asked) process.exitCode = (await run(readConfig(), asked)) === 'halted' ? 1 : 0;
  else {
    process.stderr.write(USAGE);
    process.exitCode = 2;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}
