// Checks the clocks, the nodes, and whether signing is halted.

import { isStaleTip } from '../../chain/stale-tip.ts';
import { readHalts } from '../../database/queries/payouts/signing-state.ts';
import { recoverCommand } from '../../domain/witness/witness.ts';
import type { Network } from '../../values/assets.ts';
import type { Examination, NodeAnswer } from './examination.ts';
import { fault, ok, orOk, showDuration, warning, type Finding } from './finding.ts';
import { openedOf } from './server.ts';

/** Deadlines follow the database's clock. This machine's decides about certificates and the times in logs. */
const CLOCK_OFF_MS = { warning: 2_000, fault: 60_000 };
/** Blocks may be a little ahead: their producers choose the time. */
const BLOCK_AHEAD_MS = 60_000;
const SYNCHRONISE = 'synchronise it (chrony or systemd-timesyncd), also on the machine of the database';

export async function checkClock({ aheadMs, askNodes, now }: Examination): Promise<Finding[]> {
  if (aheadMs === null) return [ok('compared with nothing: the database cannot be reached')];
  const side = aheadMs > 0 ? 'ahead of' : 'behind';
  const found = `this machine's is ${showDuration(aheadMs)} ${side} the database's`;
  const ahead = (await askNodes()).filter(
    ({ tip, isDevelopmentChain }) =>
      tip !== null && !isDevelopmentChain && tip.time.getTime() - now().getTime() > BLOCK_AHEAD_MS,
  );
  return orOk(
    [
      Math.abs(aheadMs) > CLOCK_OFF_MS.fault
        ? fault(found, SYNCHRONISE)
        : Math.abs(aheadMs) > CLOCK_OFF_MS.warning
          ? warning(found, SYNCHRONISE)
          : null,
      ...ahead.map(({ network, tip }) =>
        fault(
          `the newest block of ${network} is of ${tip?.time.toISOString() ?? ''}, which the database takes for the future`,
          SYNCHRONISE,
        ),
      ),
    ],
    found,
  );
}

export async function checkNodes({ config, askNodes, now }: Examination): Promise<Finding[]> {
  const networks = Map.groupBy(await askNodes(), ({ network }) => network);
  if (networks.size === 0) {
    const isOwn = config.sandboxNetworks.length > 0;
    return [ok(isOwn ? "the sandbox's own chains run with it" : 'no network is configured')];
  }
  return [...networks].map(([network, answers]) => judgeNetwork(network, answers, now()));
}

/** One line for a network: a fault if none of its nodes can be used, a warning if one cannot. */
function judgeNetwork(network: Network, answers: readonly NodeAnswer[], now: Date): Finding {
  const problems = answers.map((answer) => problemOf(answer, now));
  const good = answers.filter((_, index) => problems[index] === null);
  const tip = good.map((answer) => answer.tip).find((one) => one !== null);
  const newest = tip ? `block ${String(tip.height)} of ${showDuration(now.getTime() - tip.time.getTime())} ago` : '';
  const count = answers.length === 1 ? '' : `${String(good.length)} of ${String(answers.length)} nodes: `;
  const told = answers.flatMap(({ place }, index) => {
    const problem = problems[index] ?? null;
    return problem === null ? [] : [answers.length === 1 ? problem : `number ${String(place)}: ${problem}`];
  });
  const found = `${network}: ${count}${[newest, ...told].filter(Boolean).join('; ')}`;
  const remedy = `look at that node; ${network}_RPC_URL names it`;
  if (good.length === 0) return fault(found, remedy);
  return told.length > 0 ? warning(found, remedy) : ok(found);
}

function problemOf({ network, tip, reason, isDevelopmentChain }: NodeAnswer, now: Date): string | null {
  if (tip === null) return reason ?? 'it does not answer';
  // A development chain stands still while nothing happens.
  if (isDevelopmentChain || !isStaleTip(network, tip.time, now)) return null;
  return `its newest block, ${String(tip.height)}, is ${showDuration(now.getTime() - tip.time.getTime())} old: it is not synchronised`;
}

export async function checkSigning(examination: Examination): Promise<Finding[]> {
  const halts = await readHalts(openedOf(examination).db.em);
  return orOk(
    halts.map(({ network, haltedAt }) =>
      fault(
        `${network} is halted since ${haltedAt.toISOString()}`,
        `${recoverCommand(network)}; see docs/guide/backup-and-restore.md`,
      ),
    ),
    'halted on no network',
  );
}
