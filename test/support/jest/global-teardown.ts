// After all tests: the cluster goes, and its folder with it.

import { stopCluster } from './global-setup.ts';

/** Ends what the set-up started. */
export default stopCluster;
