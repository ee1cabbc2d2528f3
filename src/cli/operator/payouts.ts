// operator payouts, fail, complete: lists stuck payouts, and ends them.

import { completeUnclearPayout, listOpenPayouts, type OpenPayout } from '../../domain/operator/payouts.ts';
import { Payout } from '../../entities/payout.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, parseNetwork } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { actOrWait } from './actions.ts';
import { showAge, showAmount, tableOf, toJson, type Arguments, type Command, type CommandContext } from './command.ts';

const HEAD = ['ID', 'MERCHANT', 'STATUS', 'OPEN FOR', 'AMOUNT', 'ASSET', 'ADDRESS', 'HELD', 'TRANSACTION'];

export const payouts: Command = {
  usage: [
    'payouts [--all] [--network N] [--json]',
    'payouts open for STUCK_AFTER_MINUTES or longer, oldest first; --all: every open payout',
  ],
  names: 0,
  optional: ['all', 'network', 'json'],
  run: list,
};

async function list({ operator, config, say }: CommandContext, given: Arguments): Promise<void> {
  const named = given.text('network');
  const network = named === null ? null : parseNetwork(named);
  if (named !== null && network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  const olderThanMinutes = given.flag('all') ? null : config.stuckAfterMinutes;
  const found = await listOpenPayouts(operator, { network, olderThanMinutes });
  const now = operator.deps.clock.now();
  if (given.flag('json')) return say(toJson(found.map((payout) => ({ ...payout, amount: decimalOf(payout) }))));
  if (found.length === 0)
    return say(
      olderThanMinutes === null ? 'No payout is open' : `No payout is open for ${String(olderThanMinutes)} minutes`,
    );
  for (const line of tableOf(
    HEAD,
    found.map((payout) => cellsOf(payout, now)),
  ))
    say(line);
}

const decimalOf = (payout: OpenPayout): string => formatAmount(payout.amount, assetOf(payout).decimals);

function cellsOf(payout: OpenPayout, now: Date): string[] {
  const { id, merchantId, status, createdAt, currency, network, address, heldReason, txHash } = payout;
  return [
    ...[id, merchantId ?? 'our fees', status, showAge(createdAt, now), decimalOf(payout), `${currency}/${network}`],
    ...[address, heldReason ?? '-', txHash ?? '-'],
  ];
}

export const fail: Command = {
  usage: [
    'fail ID --reason TEXT',
    'ends a payout as FAILED and releases its money; refused while one of its transactions may take effect',
  ],
  names: 1,
  required: ['reason'],
  async run(context, given) {
    const done = await actOrWait(context, { kind: 'FAIL_PAYOUT', ...decisionOf(given) });
    if (!done) return;
    const payout = await context.operator.deps.db.em.fork().findOneOrFail(Payout, { id: done.target ?? '' });
    const to = payout.merchantId ?? 'our fees';
    context.say(`${payout.id} is FAILED: ${showAmount(done.amount, done)} is released to ${to}`);
  },
};

export const complete: Command = {
  usage: [
    'complete ID --reason TEXT',
    'books a payout as paid if its transaction was mined but cannot be read (RESULT_UNCLEAR)',
  ],
  names: 1,
  required: ['reason'],
  async run({ operator, say }, given) {
    const ended = await completeUnclearPayout(operator, decisionOf(given));
    say(`${ended.id} is COMPLETED: ${showAmount(ended.amount, ended)} is booked as paid`);
  },
};

const decisionOf = ({ names, text }: Arguments) => ({ id: names[0] ?? '', reason: text('reason') ?? '' });
