// A program that owns a sandbox chain and carries out calls sent over IPC, so that a test can kill it.

import pino from 'pino';
import type { Network } from '../../../src/values/assets.ts';
import { createDevChain, type DevChain } from '../../../src/sandbox/evm/dev-chain.ts';

interface Order {
  id: number;
  method: 'open' | 'deposit' | 'mine' | 'reorg' | 'tip';
  argument?: unknown;
}

const [, , dataDir = '', network = 'ETH'] = process.argv;
let opened: DevChain | undefined;

async function obey({ method, argument }: Order): Promise<unknown> {
  opened ??= await createDevChain({ dataDir, network: network as Network, log: pino({ level: 'silent' }) });
  if (method === 'open') return { rpcUrl: opened.rpcUrl, contracts: opened.contracts };
  return (opened[method] as (argument: unknown) => Promise<unknown>)(argument);
}

process.on('message', (order: Order) => {
  obey(order).then(
    (value) => process.send?.({ id: order.id, value }),
    (error: unknown) => process.send?.({ id: order.id, error: String(error) }),
  );
});

// If the test itself has ended, nothing reads the answers.
process.on('disconnect', () => process.exit());
