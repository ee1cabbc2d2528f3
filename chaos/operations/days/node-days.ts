// Bad days of the chain's node: it refuses connections' questions, it falls silent, and one of two lies.

import type { BadDay } from '../bad-day.ts';
import { USUAL, type Setting } from '../setting.ts';
import { startLyingNode, type LyingNode } from '../lying-node.ts';
import { TEST_TOKENS } from '../../../src/sandbox/evm/test-tokens.ts';
import { PASS } from '../../../test/support/proxies/meddling-proxy.ts';

const NODE_AWAY: BadDay = {
  name: 'node-away',
  title: 'The only node of a network answers every question with 502',
  remedy: 'Bring it back, or name another in `ETH_RPC_URL`; with two nodes callers see nothing',
  alerts: ['NetworkUnavailable'],
  setting: USUAL,
  cause: async ({ deployment: { ground } }) => {
    ground.node.meddle(() => ({ kind: 'say', status: 502, body: 'bad gateway' }));
    return { mend: async () => ground.node.meddle(() => PASS) };
  },
};

const NODE_SILENT: BadDay = {
  name: 'node-silent',
  title: 'The only node of a network takes questions, and answers none',
  remedy: 'Restart it, or name another in `ETH_RPC_URL`',
  alerts: ['NetworkUnavailable'],
  setting: USUAL,
  // Payments are simulated on the node itself, which only a sandbox can do; such a call waits for it.
  cutsCalls: true,
  cause: async ({ deployment: { ground } }) => {
    const { pid } = ground.anvil;
    process.kill(pid, 'SIGSTOP');
    return { mend: async () => process.kill(pid, 'SIGCONT') };
  },
};

const CURRENCIES = ['ETH', ...TEST_TOKENS.keys()];

/** The observer follows two nodes, and every amount needs both. The others simulate payments on the chain itself. */
const TWO_NODES: Setting<LyingNode> = {
  prepare: async ({ anvil, onClose }) => {
    const [honest, other] = [await startLyingNode(anvil.url), await startLyingNode(anvil.url)];
    onClose(() => Promise.all([honest.stop(), other.stop()]));
    const nodes = {
      ...{ ETH_RPC_URL: `${other.url},${honest.url}`, ETH_CHAIN_ID: '31337', ETH_CONFIRMATIONS: '2' },
      ...Object.fromEntries(CURRENCIES.map((currency) => [`ETH_${currency}_QUORUM_ABOVE`, '0'])),
      ...Object.fromEntries([...TEST_TOKENS].map(([currency, address]) => [`ETH_${currency}_CONTRACT`, address])),
    };
    return { tools: other, variablesOf: (name) => (name === 'observer' ? nodes : { ETH_CONFIRMATIONS: '2' }) };
  },
};

const NODE_LIES: BadDay<LyingNode> = {
  name: 'node-lies',
  title: 'One of two nodes shows ten times the amount of every token payment',
  remedy: 'Find out which one lies, and take it out of `ETH_RPC_URL`; with three nodes it is dropped by itself',
  alerts: ['NodeDown', 'ChainLagging'],
  setting: TWO_NODES,
  cause: async ({ note }, node) => {
    node.lie(true);
    return {
      mend: async () => {
        node.lie(false);
        note(`it lied ${node.lies()} times`);
      },
    };
  },
};

export const NODE_DAYS: readonly BadDay[] = [NODE_AWAY, NODE_SILENT];
export const LYING_NODE_DAYS: readonly BadDay[] = [NODE_LIES];
