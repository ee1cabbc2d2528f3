// What a customer chooses from: coins as links, networks and new rates as forms. A link makes nothing; a form is sent
// by POST, so that no crawler takes an address.

import { query } from '../document.ts';
import { html, type Html } from '../html.ts';
import { code, type Key, type Locale } from '../locale.ts';
import { choiceOf, networkOf } from '../network-names.ts';
import type { InvoiceCheckout, Option } from './checkout.ts';
import { feeClassOf } from './network-fees.ts';
import type { Stage } from './stage.ts';

/** What choices are rendered from. */
export interface ChoiceView {
  readonly invoice: InvoiceCheckout;
  readonly stage: Stage;
  readonly locale: Locale;
  /** The language in the page's address, which its links and forms keep. */
  readonly kept: Readonly<Record<string, string>>;
}

const COIN_NAMES: Readonly<Record<string, string>> = {
  ...{ BTC: 'Bitcoin', LTC: 'Litecoin', ETH: 'Ether', BNB: 'BNB', POL: 'Polygon', AVAX: 'Avalanche', TRX: 'TRON' },
  ...{ SOL: 'Solana', USDT: 'Tether', USDC: 'USD Coin' },
};

/** Why a coin cannot be chosen. */
const REASONS: Readonly<Record<Exclude<Option['state'], 'OPEN'>, Key>> = {
  NO_RATE: 'noRate',
  NO_NODE: 'noNode',
  BELOW_MINIMUM: 'belowMinimum',
  ABOVE_MAXIMUM: 'aboveMaximum',
};

const reasonOf = ({ state }: Option, locale: Locale): Html | false => state !== 'OPEN' && locale.say(REASONS[state]);

/** What may be chosen at this step; false where nothing may. */
export function choicePart(view: ChoiceView): Html | false {
  const { stage, invoice } = view;
  if (stage.step === 'coin') {
    const coins = [...Map.groupBy(invoice.options, (option) => option.currency).values()];
    return list(coins.map((options) => coinRow(options, view)));
  }
  if (stage.step === 'network') {
    const options = invoice.options.filter((option) => option.currency === stage.coin);
    const byFee = options.toSorted((one, other) => feeClassOf(one.network) - feeClassOf(other.network));
    return list(byFee.map((option) => networkRow(option, options, view)));
  }
  return stage.step === 'renew' && renewal(stage.payment.checkout, view);
}

const list = (rows: readonly Html[]): Html =>
  html`<ul class="choices">
    ${rows}
  </ul>`;

/** What a row of the list says. */
interface Row {
  readonly id: string;
  readonly name: Html;
  readonly more: readonly (Html | false)[];
}

function words({ name, more }: Row): Html {
  const rest = more.filter((each) => each !== false);
  return html`<strong>${name}</strong>${rest.map((each) => html` <span>${each}</span>`)}`;
}

/** A coin on several networks leads to these; one on a single network is chosen at once. */
function coinRow(options: readonly Option[], view: ChoiceView): Html {
  const { locale, kept } = view;
  const [first] = options;
  if (!first) return html``;
  const { currency } = first;
  const open = options.find(({ state }) => state === 'OPEN');
  const name = COIN_NAMES[currency];
  const row = {
    id: `coin-${currency}`,
    name: html`${code(currency)}${name !== undefined && name !== currency && html` <small>${code(name)}</small>`}`,
    more: open
      ? [options.length > 1 ? locale.say('onSeveralNetworks') : onlyNetwork(open), about(open, locale)]
      : [reasonOf(first, locale)],
  };
  if (!open) return closed(row);
  if (options.length === 1) return chosenBy(open, row, view);
  const href = query({ ...kept, coin: currency });
  return html`<li><a id="${row.id}" href="${href}">${words(row)}</a></li>`;
}

/** The network that is chosen with the coin, where wallets offer several. */
function onlyNetwork(option: Option): Html | false {
  const choice = choiceOf(option);
  return choice !== null && html`<bdi>${choice}</bdi>`;
}

function about({ approximateAmount, currency }: Option, locale: Locale): Html | false {
  if (approximateAmount === null) return false;
  return locale.say('about', { amount: code(locale.money(approximateAmount, currency)) });
}

function networkRow(option: Option, all: readonly Option[], view: ChoiceView): Html {
  const { locale } = view;
  const row = {
    id: `on-${option.network}`,
    name: html`<bdi>${choiceOf(option) ?? networkOf(option)}</bdi>`,
    more: option.state === 'OPEN' ? [fee(option, all, locale)] : [reasonOf(option, locale)],
  };
  return option.state === 'OPEN' ? chosenBy(option, row, view) : closed(row);
}

/** How dear a network is among those to choose from: nothing where all are alike. */
function fee({ network }: Option, all: readonly Option[], locale: Locale): Html | false {
  const classes = all.filter(({ state }) => state === 'OPEN').map((option) => feeClassOf(option.network));
  const own = feeClassOf(network);
  if (new Set(classes).size < 2) return false;
  if (own === Math.min(...classes)) return locale.say('feeLowest');
  return locale.say(own === 3 ? 'feeHigh' : 'feeMedium');
}

const closed = (row: Row): Html => html`<li><p class="closed">${words(row)}</p></li>`;

function chosenBy(option: Option, row: Row, view: ChoiceView): Html {
  return html`<li>${choiceForm(option, html`<button id="${row.id}">${words(row)}</button>`, view)}</li>`;
}

function choiceForm({ currency, network }: Pick<Option, 'currency' | 'network'>, button: Html, view: ChoiceView): Html {
  const action = `/pay/${encodeURIComponent(view.invoice.id)}/choose${query(view.kept)}`;
  return html`<form method="post" action="${action}">
    <input type="hidden" name="currency" value="${currency}" />
    <input type="hidden" name="network" value="${network}" />
    ${button}
  </form>`;
}

/** A new rate for the coin chosen before, or why there is none. */
function renewal(chosen: Pick<Option, 'currency' | 'network'>, view: ChoiceView): Html {
  const { invoice, locale } = view;
  const same = (option: Option) => option.currency === chosen.currency && option.network === chosen.network;
  const option = invoice.options.find(same);
  const reason = option && reasonOf(option, locale);
  if (!option || reason) return html`<p class="closed"><strong>${code(chosen.currency)}</strong> ${reason}</p>`;
  const button = html`<button id="renew" class="button">${locale.say('takeNewRate')}</button>`;
  return html`${choiceForm(option, button, view)}`;
}
