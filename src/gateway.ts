// The composition root: it makes every part, hands each what it needs, and takes them down in order. Tests build the
// gateway with it too. Custody and the sandbox are loaded only where a role or the environment asks for them.

import { randomBytes } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { createAccess } from './access/caller.ts';
import type { Config } from './config.ts';
import { createDatabaseClock } from './database/clock.ts';
import { connectDatabase, query, type Database } from './database/connection.ts';
import { createApiLog } from './domain/api-log.ts';
import { createPaymentCreator } from './domain/create-payment.ts';
import type { Chain, Deps, Signals } from './domain/deps.ts';
import { createLoop, type Loop, type Worker } from './loop.ts';
import { buildGatewaySchema } from './resolvers/schema.ts';
import { requireOperation, variableFaults } from './resolvers/validation.ts';
import type { Services } from './resolvers/services.ts';
import { createEndpoint } from './rest/adapter.ts';
import { ROUTES } from './rest/routes.ts';
import type { Network } from './values/assets.ts';
import { deriveSecrets } from './values/secrets.ts';
