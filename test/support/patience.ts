// Time limits for tests that are about something else: on a machine that is busy with other programs, the usual ones
// would end their calls, sockets and statements.

import type { DatabasePatience } from '../../src/database/connection.ts';
import type { GatewayPatience } from '../../src/gateway/lifecycle.ts';

const LONG_MS = 240_000;

export const PATIENT_DATABASE: DatabasePatience = { connection: LONG_MS, answer: LONG_MS };

export const PATIENT_GATEWAY: GatewayPatience = {
  callers: { head: LONG_MS, request: LONG_MS, look: 1_000, takesNothing: LONG_MS },
  sockets: { initMs: LONG_MS, pingMs: LONG_MS },
  database: PATIENT_DATABASE,
};
