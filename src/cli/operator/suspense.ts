// operator suspense, suspense credit, suspense write-off: what the book cannot explain, and what is done with it. Both
// are actions: above the threshold they wait for another operator, unlike those of npm run ledger.

import { readGatewayFunds } from '../../domain/operator/fees.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { actOrWait } from './actions.ts';
import { showAmount, tableOf, toJson, type Arguments, type Command } from './command.ts';

export const suspense: Command = {
  usage: [
    'suspense [--json]',
    'what the chains hold and the book cannot explain, by asset; negative where they hold less.',
    'npm run ledger -- suspense shows where it may have come from',
  ],
  names: 0,
  optional: ['json'],
  async run({ operator, say }, { flag }) {
    const found = (await readGatewayFunds(operator))
      .filter((funds) => funds.suspense !== 0n)
      .map(({ network, currency, suspense: units }) => {
        const { decimals } = assetOf({ network, currency });
        return { network, currency, suspense: formatAmount(units, decimals) };
      });
    if (flag('json')) return say(toJson(found));
    if (found.length === 0) return say('Nothing is in suspense');
    const rows = found.map((one) => [`${one.currency}/${one.network}`, one.suspense]);
    for (const line of tableOf(['ASSET', 'SUSPENSE'], rows)) say(line);
  },
};

export const credit: Command = {
  usage: [
    'suspense credit PAYMENT --network N --currency C --amount A --reason TEXT',
    "credits the payment's merchant out of suspense, less the fee, as a deposit would",
  ],
  names: 1,
  required: ['network', 'currency', 'amount', 'reason'],
  async run(context, given) {
    const [paymentId = ''] = given.names;
    const done = await actOrWait(context, { kind: 'CREDIT_SUSPENSE', paymentId, ...amountOf(given) });
    if (!done) return;
    context.say(
      `${showAmount(done.amount, done)} is credited to the merchant of ${paymentId}, less the fee: ${done.id}`,
    );
  },
};

export const writeOff: Command = {
  usage: [
    'suspense write-off --network N --currency C --amount A --reason TEXT',
    "books suspense as the gateway's gain; --amount=-A books a shortfall as its loss",
  ],
  names: 0,
  required: ['network', 'currency', 'amount', 'reason'],
  async run(context, given) {
    const done = await actOrWait(context, { kind: 'WRITE_OFF_SUSPENSE', ...amountOf(given) });
    if (done) context.say(`${showAmount(done.amount, done)} is written off: ${done.id}`);
  },
};

const amountOf = ({ text }: Arguments) => ({
  network: text('network') ?? '',
  currency: text('currency') ?? '',
  amount: text('amount') ?? '',
  reason: text('reason') ?? '',
});
