// operator fees, fees withdraw: shows the gateway's own money, and pays fees out to the cold address.

import { readGatewayFunds, type GatewayFunds } from '../../domain/operator/fees.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { actOrWait } from './actions.ts';
import { showAmount, tableOf, toJson, type Command } from './command.ts';

const HEAD = ['ASSET', 'FEES', 'COSTS', 'CAPITAL', 'WITHDRAWABLE', 'ON ITS WAY', 'SUSPENSE'];

export const fees: Command = {
  usage: ['fees [--json]', 'for each asset: fees earned, costs paid, operator funding, and how much may be withdrawn'],
  names: 0,
  optional: ['json'],
  async run({ operator, say }, { flag }) {
    const found = (await readGatewayFunds(operator)).map(toDecimals);
    if (flag('json')) return say(toJson(found));
    if (found.length === 0) return say('Nothing was earned yet');
    const rows = found.map(({ asset, ...units }) => [asset, ...AMOUNTS.map((name) => units[name])]);
    for (const line of tableOf(HEAD, rows)) say(line);
  },
};

const AMOUNTS = ['fees', 'costs', 'capital', 'withdrawable', 'reserved', 'suspense'] as const;

function toDecimals({ network, currency, ...units }: GatewayFunds) {
  const { decimals } = assetOf({ network, currency });
  const amounts = AMOUNTS.map((name) => [name, formatAmount(units[name], decimals)] as const);
  return {
    ...{ asset: `${currency}/${network}`, network, currency },
    ...(Object.fromEntries(amounts) as Record<(typeof AMOUNTS)[number], string>),
  };
}

export const withdraw: Command = {
  usage: [
    'fees withdraw --network N --currency C --amount A|max',
    'pays fees out, only to <NETWORK>_COLD_ADDRESS: at most fees, and at most fees + costs + capital',
  ],
  names: 0,
  required: ['network', 'currency', 'amount'],
  async run(context, { text }) {
    const currency = (text('currency') ?? '').toUpperCase();
    const request = {
      kind: 'WITHDRAW_FEES',
      network: text('network') ?? '',
      currency,
      amount: text('amount') ?? '',
    } as const;
    const done = await actOrWait(context, request);
    if (!done) return;
    const { say, config } = context;
    const address = config.coldAddresses.get(done.network) ?? '';
    say(`${done.target ?? ''} is REQUESTED: ${showAmount(done.amount, done)} to ${address}`);
  },
};
