// A thread that is given a feed's answer, and never says anything.

import { parentPort } from 'node:worker_threads';

// Listening keeps it alive.
parentPort?.on('message', () => undefined);
