// Bad days of the signer: a second one is started by mistake, and the volume with its journal is lost.

import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { readHalts, runRecover, untilHalted } from '../recovery.ts';
import type { BadDay } from '../bad-day.ts';
import { USUAL } from '../setting.ts';
import type { Deployment } from '../deployment.ts';
import { countSignatures } from '../../processes/environment.ts';

/** A copy of the signer's machine, with the same keys and a copy of its journal. */
async function copySigner({ ground, environmentOf, journalDir }: Deployment): Promise<Record<string, string>> {
  const [dataDir, journal] = [join(ground.folder, 'signer-2'), join(ground.folder, 'journal-2')];
  const first = environmentOf('signer');
  await cp(first['DATA_DIR'] ?? '', dataDir, { recursive: true });
  await cp(journalDir, journal, { recursive: true });
  const { METRICS_PORT: _port, ...variables } = first;
  return { ...variables, DATA_DIR: dataDir, JOURNAL_DIR: journal };
}

const SIGNER_TWICE: BadDay = {
  name: 'signer-twice',
  title: "A second signer runs, from a copy of the first one's machine, until it is stopped",
  remedy: 'Stop one of them, and keep the journals of both in one folder; `npm run recover` if signing is halted',
  alerts: ['SigningHalted'],
  setting: USUAL,
  cause: async ({ deployment, note }) => {
    const variables = await copySigner(deployment);
    const before = await countSignatures(variables['JOURNAL_DIR'] ?? '');
    const second = deployment.addProgram('second signer', () => variables);
    await second.start();
    return {
      async mend() {
        await second.kill();
        const halts = await readHalts(deployment);
        const signed = (await countSignatures(variables['JOURNAL_DIR'] ?? '')) - before;
        note(
          `the second one signed ${signed} transactions; ${halts.length > 0 ? halts.join('; ') : 'nothing was halted'}`,
        );
        await cp(variables['JOURNAL_DIR'] ?? '', deployment.journalDir, { recursive: true, force: false });
        if (halts.length > 0) await runRecover(deployment, note);
      },
    };
  },
};

const JOURNAL_LOST: BadDay = {
  name: 'journal-lost',
  title: "The signer's volume is lost, and with it its journal",
  remedy:
    'Give the volume up only when it is lost for good; then `npm run recover -- --network ETH --accept-missing-journal --apply`',
  alerts: ['SigningHalted'],
  setting: USUAL,
  cause: async ({ deployment, note }) => {
    const { programs, journalDir } = deployment;
    await programs.signer.kill();
    await rm(journalDir, { recursive: true });
    await mkdir(journalDir, { mode: 0o700 });
    await programs.signer.start();
    await untilHalted(deployment, note);
    return { mend: () => runRecover(deployment, note, ['--accept-missing-journal']) };
  },
};

export const SIGNER_DAYS: readonly BadDay[] = [SIGNER_TWICE, JOURNAL_LOST];
