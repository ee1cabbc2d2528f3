// Tells a node that is behind from one whose network is slow, by the time of its newest block.

import { NETWORKS, type Network } from '../values/assets.ts';

/** A tip is stale if it is older than this many block times, and at least this old. */
const STALE_TIP = { blocks: 12, leastMs: 5 * 60_000 };

/** Whether the newest block of a node is so old that the node may lack what happened since. */
export const isStaleTip = (network: Network, tipAt: Date, now: Date): boolean =>
  now.getTime() - tipAt.getTime() > Math.max(STALE_TIP.leastMs, STALE_TIP.blocks * NETWORKS[network].blockTimeMs);
