// What bad days with the same setting are rehearsed on: a deployment, its merchants, and everything that was noted.

import { createClient } from '../load/client.ts';
import { createNotes, type Notes, type Shop } from '../load/client-log.ts';
import { openMerchants, openShop } from '../load/merchants.ts';
import { createRandom } from '../load/random.ts';
import type { LoadParts } from '../load/scenario.ts';
import type { Outage } from '../processes/kill-targets.ts';
import { createCounter, type Counter } from './answers.ts';
import type { Prepared, Setting } from './setting.ts';
import { openDeployment, type Deployment } from './deployment.ts';

export interface Stage {
  readonly deployment: Deployment;
  /** What the setting has besides. */
  readonly tools: unknown;
  /** Counts the answers to the callers of the load. */
  readonly counter: Counter;
  readonly notes: Notes;
  readonly load: LoadParts;
  /** The merchant of the story, with a client for each process of the API. */
  readonly stories: readonly { readonly parts: LoadParts; readonly shop: Shop }[];
  /** The bad days so far. */
  readonly outages: Outage[];
}

interface StageOptions {
  readonly seed: number;
  /** Gets the clean-up at once. */
  readonly onClose: (close: () => Promise<void>) => void;
}

/** Seconds before retry 1, 2, … of a webhook. */
export const RETRY_DELAYS_SECONDS = [1, 1, 1, 1, 2, 2, 2, 2, 2];

export async function openStage(setting: Setting<unknown>, { seed, onClose }: StageOptions): Promise<Stage> {
  let prepared: Prepared<unknown> = { tools: null };
  const deployment = await openDeployment(
    {
      ...{ seed, retryDelaysSeconds: RETRY_DELAYS_SECONDS },
      prepare: async (ground) => (prepared = await setting.prepare(ground)),
    },
    onClose,
  );
  try {
    return { ...(await openMarket(deployment, seed)), deployment, tools: prepared.tools, outages: [] };
  } catch (error) {
    await deployment.close();
    throw error;
  }
}

async function openMarket({ urls, receiverOrigin }: Deployment, seed: number) {
  const counter = createCounter();
  const notes = createNotes();
  const client = createClient(urls, notes.calls, { onSeen: counter.note });
  const shops = await openMerchants(client, receiverOrigin);
  const ownShop = await openShop(client, receiverOrigin, { primary: false, more: 0 });
  notes.shops.push(...shops, ownShop);
  const load: LoadParts = {
    ...{ client, random: createRandom(seed + 1), receiver: receiverOrigin },
    // All but the shops is noted together.
    notes: { ...notes, shops },
  };
  const stories = urls.map((url) => ({ parts: { ...load, client: createClient(url, notes.calls) }, shop: ownShop }));
  return { counter, notes, load, stories };
}
