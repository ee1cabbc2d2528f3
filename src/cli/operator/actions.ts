// operator actions, approve, reject: what operators did with money or want to, and what another one says to it.

import { openAddressReader } from '../../chain/address-reader.ts';
import type { Config } from '../../config/config.ts';
import {
  approveAction,
  findActions,
  rejectAction,
  requestAction,
  type ActionRequest,
  type ActionRules,
  type OperatorAction,
} from '../../domain/operator/actions.ts';
import type { ColdPlace } from '../../domain/operator/fees.ts';
import type { Network } from '../../values/assets.ts';
import { openAdapters } from '../open-adapters.ts';
import { showAmount, tableOf, toJson, type Command, type CommandContext } from './command.ts';

const MOST_LISTED = 100;

export const actions: Command = {
  usage: ['actions [--json]', 'what operators did with money, or want to, newest first, at most 100'],
  names: 0,
  optional: ['json'],
  async run({ operator, say }, { flag }) {
    const { nodes } = await findActions(operator, { limit: MOST_LISTED, before: null });
    if (flag('json')) return say(toJson(nodes));
    if (nodes.length === 0) return say('There is none');
    const rows = nodes.map((one) => [
      ...[one.id, one.kind, one.status, showAmount(one.amount, one), one.target ?? '-'],
      ...[one.requestedBy, one.decidedBy ?? '-', one.reason],
    ]);
    for (const line of tableOf(['ID', 'KIND', 'STATUS', 'AMOUNT', 'OF', 'BY', 'DECIDED BY', 'REASON'], rows)) say(line);
  },
};

export const approve: Command = {
  usage: [
    'approve ID',
    'approves what another operator wants to do with money, and does it; refused under the name that asked.',
    'That guards against mistakes, not against who holds the machine',
  ],
  names: 1,
  async run({ operator, config, say }, { names: [id = ''] }) {
    const done = await approveAction(operator, rulesOf(config), id);
    say(
      `${id} is DONE: ${done.kind} of ${showAmount(done.amount, done)}${done.target === null ? '' : `, ${done.target}`}`,
    );
  },
};

export const reject: Command = {
  usage: ['reject ID --reason TEXT', 'rejects it; an operator can take back what they asked for'],
  names: 1,
  required: ['reason'],
  async run({ operator, say }, { names: [id = ''], text }) {
    await rejectAction(operator, id, text('reason') ?? '');
    say(`${id} is REJECTED`);
  },
};

/** What actions are bound to here. A network without a node here still has addresses to read. */
function rulesOf(config: Config): ActionRules {
  return { approvalAbove: config.operatorApprovalAbove, coldPlaceOf: (network) => openColdPlace(config, network) };
}

async function openColdPlace(config: Config, network: Network): Promise<ColdPlace> {
  const coldAddress = config.coldAddresses.get(network);
  if (coldAddress === undefined)
    throw new Error(`${network}_COLD_ADDRESS is not set: fees can only be paid out to that address`);
  const adapters = await openAdapters(config);
  const adapter = adapters.find((one) => one.network === network) ?? openAddressReader(config, network);
  return { adapter, coldAddress };
}

/** Requests an action, and says that it waits if it does; returns it if it was done at once. */
export async function actOrWait(
  { operator, config, say }: CommandContext,
  request: ActionRequest,
): Promise<OperatorAction | null> {
  const { result: action } = await requestAction(operator, rulesOf(config), request);
  if (action.status === 'DONE') return action;
  say(`${action.id} waits for another operator: ${action.kind} of ${showAmount(action.amount, action)}`);
  return null;
}
