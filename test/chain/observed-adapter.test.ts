// Questions to nodes are counted without a change to the adapter.

import { expect, it } from '@jest/globals';
import { openAdapter } from '../../src/chain/open-adapter.ts';
import { observeAdapter, type ObservedQuestion } from '../../src/chain/observed-adapter.ts';
import { startAnvil } from '../../src/sandbox/evm/anvil.ts';
import { pino } from 'pino';
import { ChainUnavailable } from '../../src/chain/errors.ts';
import { readConfig } from '../../src/config/config.ts';

const log = pino({ level: 'silent' });

it('a question is told with its outcome, and what asks no node is not', async () => {
  const anvil = await startAnvil({ log });
  const { networks } = readConfig({ ETH_RPC_URL: anvil.url });
  const node = networks.get('ETH');
  if (!node) throw new Error('There is no ETH');
  const plain = openAdapter('ETH', node, { log });
  const told: ObservedQuestion[] = [];
  const adapter = observeAdapter(plain, (question) => void told.push(question));
  try {
    expect(await adapter.tip()).toEqual(await plain.tip());
    expect(adapter.parseAddress('0x52908400098527886E0F7030069857D2E4169EE7')).not.toBeNull();
    expect(adapter.nodes).toBe(plain.nodes);
    expect('requireQuorum' in adapter).toBe('requireQuorum' in plain);
    expect(told).toEqual([{ method: 'tip', outcome: 'answered', seconds: expect.any(Number) }]);
  } finally {
    await anvil.stop();
  }
  await expect(adapter.tip()).rejects.toThrow(ChainUnavailable);
  expect(told.at(-1)).toMatchObject({ method: 'tip', outcome: 'failed' });
});
