// operator health: shows every network and what is on hold on one screen.

import {
  readHealth,
  type Health,
  type NetworkHealth,
  type WalletHealth,
} from '../../domain/operator/network-health.ts';
import { openAdapters } from '../open-adapters.ts';
import { NETWORKS } from '../../values/assets.ts';
import { showAge, toJson, type Command } from './command.ts';
import { scopeOf } from './freezes.ts';

export const health: Command = {
  usage: ['health [--json]', 'each network: node, wallets, waiting payouts, and what holds them'],
  names: 0,
  optional: ['json'],
  async run({ operator, config, say }, { flag }) {
    const adapters = await openAdapters(config);
    const found = await readHealth(operator, { adapters, stuckAfterMinutes: config.stuckAfterMinutes });
    if (flag('json')) return say(toJson(found));
    for (const line of linesOf(found, operator.deps.clock.now())) say(line);
  },
};

function linesOf({ networks, freezes }: Health, now: Date): string[] {
  const frozen = freezes.map((one) => `  ${one.id}  ${scopeOf(one)}, by ${one.createdBy}: ${one.reason}`);
  return [
    ...(networks.length === 0 ? ['There is no network yet'] : networks.flatMap((one) => linesOfNetwork(one, now))),
    freezes.length === 0 ? 'Nothing is frozen' : `Frozen: ${String(freezes.length)}`,
    ...frozen,
  ];
}

const UNKNOWN = 'unknown: no node is configured here';

function linesOfNetwork(one: NetworkHealth, now: Date): string[] {
  const { network, available, reason, tip, tipAt, observed, payoutsDue, oldestDueAt, stuck, halt, assetsOff } = one;
  const state = available === null ? UNKNOWN : available ? 'available' : `not available: ${reason ?? ''}`;
  const at = tipAt === null ? '' : ` of ${tipAt.toISOString()}`;
  const oldest = oldestDueAt === null ? '' : `, the oldest for ${showAge(oldestDueAt, now)}`;
  return [
    `${network}  ${state}`,
    `  node's tip  ${tip === null ? 'unknown' : `${String(tip)}${at}`}; read up to ${observed === null ? 'nothing' : String(observed)}`,
    `  hot wallet  ${describe(one.hot)}`,
    ...(NETWORKS[network].kind === 'utxo' ? [] : [`  gas wallet  ${describe(one.gas)}`]),
    `  payouts     ${String(payoutsDue)} waiting${oldest}; ${String(stuck)} stuck`,
    ...(halt ? [`  HALTED      since ${halt.haltedAt.toISOString()}: ${JSON.stringify(halt.findings)}`] : []),
    ...assetsOff.map(({ currency, cause, reason: why }) => `  off         ${currency} (${cause}): ${why}`),
  ];
}

function describe(wallet: WalletHealth | null): string {
  if (wallet === null) return 'not registered by a signer yet';
  return `${wallet.address}  ${wallet.holds === null ? 'holds: unknown' : wallet.holds.join(', ')}`;
}
