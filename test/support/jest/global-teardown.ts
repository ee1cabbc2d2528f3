// jest's globalTeardown: stops what the set-up started, and removes the run's folder.

import { stopCluster } from './global-setup.ts';

/** Stops what the set-up started. */
export default stopCluster;
