// The table of the doctor's checks. docs/operations/checklist.md names each of them, and a test compares the two.

import type { Role } from '../../config/config.ts';
import { checkClock, checkNodes, checkSigning } from './chains.ts';
import { checkCertificate, checkBaseUrl } from './public-address.ts';
import { checkCommits, checkPooler } from './commits.ts';
import { checkConfiguration, checkSecrets } from './configuration.ts';
import { checkCell, checkDatabase, checkSchema } from './server.ts';
import { checkDisk, checkJournal, checkKeystore } from './files.ts';
import type { Examination } from './examination.ts';
import type { Finding } from './finding.ts';
import { checkProcess } from './process.ts';
import { checkProvider } from './provider/provider.ts';
import { checkRedis } from './redis.ts';
import { checkBackup, checkReplicas, checkReplication } from './replication.ts';
import { checkConnections, checkRole, checkTimeouts } from './role.ts';
import { checkWebhooks } from './webhooks.ts';

export interface Check {
  readonly name: string;
  /** The roles that it concerns; all of them by default. */
  readonly roles?: readonly Role[];
  /** What it cannot do without. */
  readonly needs?: 'database' | 'schema';
  /** Changes nothing. Returns at least one finding. */
  run(examination: Examination): Promise<readonly Finding[]>;
}

const WITH_NODES: readonly Role[] = ['api', 'observer', 'signer'];

/** In the order in which they are shown. */
export const CHECKS: readonly Check[] = [
  { name: 'configuration', run: checkConfiguration },
  { name: 'secrets', run: checkSecrets },
  { name: 'process', run: checkProcess },
  { name: 'database', run: checkDatabase },
  { name: 'schema', needs: 'database', run: checkSchema },
  { name: 'commits', needs: 'database', run: checkCommits },
  { name: 'pooler', needs: 'database', run: checkPooler },
  { name: 'connections', needs: 'database', run: checkConnections },
  { name: 'role', needs: 'database', run: checkRole },
  { name: 'timeouts', needs: 'database', run: checkTimeouts },
  { name: 'replication', needs: 'database', run: checkReplication },
  { name: 'replicas', roles: ['api'], needs: 'database', run: checkReplicas },
  { name: 'backup', needs: 'database', run: checkBackup },
  { name: 'cell', needs: 'schema', run: checkCell },
  { name: 'clock', run: checkClock },
  { name: 'nodes', roles: WITH_NODES, run: checkNodes },
  { name: 'signing', roles: ['observer', 'signer'], needs: 'schema', run: checkSigning },
  { name: 'keystore', run: checkKeystore },
  { name: 'journal', roles: ['signer'], run: checkJournal },
  { name: 'base-url', roles: ['api'], run: checkBaseUrl },
  { name: 'certificate', roles: ['api'], run: checkCertificate },
  { name: 'redis', roles: ['api'], run: checkRedis },
  { name: 'provider', roles: ['api'], run: checkProvider },
  { name: 'webhooks', roles: ['dispatcher'], needs: 'schema', run: checkWebhooks },
  { name: 'disk', run: checkDisk },
];
