// operator fees, fees withdraw: shows the gateway's own money, and pays fees out to the cold address.

import { openAddressReader } from '../../chain/address-reader.ts';
import { readGatewayFunds, withdrawFees, type ColdPlace, type GatewayFunds } from '../../domain/operator/fees.ts';
import type { Config } from '../../config/config.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf, parseNetwork } from '../../values/assets.ts';
import { GatewayError } from '../../values/errors.ts';
import { openAdapters } from '../open-adapters.ts';
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
  async run({ operator, config, say }, { text }) {
    const place = await openColdPlace(config, text('network') ?? '');
    const request = { currency: (text('currency') ?? '').toUpperCase(), amount: text('amount') ?? '' };
    const payout = await withdrawFees(operator, place, request);
    say(`${payout.id} is REQUESTED: ${showAmount(payout.amount, payout)} to ${payout.address}`);
  },
};

async function openColdPlace(config: Config, name: string): Promise<ColdPlace> {
  const network = parseNetwork(name);
  if (network === null) throw new GatewayError('UNSUPPORTED_ASSET');
  const coldAddress = config.coldAddresses.get(network);
  if (coldAddress === undefined)
    throw new Error(`${network}_COLD_ADDRESS is not set: fees can only be paid out to that address`);
  const adapters = await openAdapters(config);
  const adapter = adapters.find((one) => one.network === network) ?? openAddressReader(config, network);
  return { adapter, coldAddress };
}
