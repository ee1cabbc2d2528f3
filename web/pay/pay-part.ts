// How a payment can be sent: codes to scan, wallets to open, and the address and the amount to copy.

import type { Payable } from './checkout.ts';
import { html, type Html } from './html.ts';
import { walletLinkOf } from './links.ts';
import { code, type Locale } from './locale.ts';
import { choiceOf, networkOf } from './network-names.ts';
import { qrCodes } from './qr-code.ts';
import { transferRequestOf } from './wallets/transfer-request.ts';
import { walletLinksOf } from './wallets/wallet-links.ts';

/** What it is rendered from. */
interface PayView {
  readonly checkout: Payable;
  readonly locale: Locale;
}

/**
 * All ways to pay. On a phone the code and the wallets are a choice apart, the wallets first; on a wide screen, and
 * without a script, all are in sight. The address and the amount are always there.
 */
export function payPart({ checkout, locale }: PayView): Html {
  const { amountDue, currency, address } = checkout;
  return html`<h2 class="unseen">${locale.say('howToPay')}</h2>
    <div class="pay">
      ${waysOf({ checkout, locale })}
      <div class="fields">
        ${copyable({
          id: 'address',
          label: locale.say('addressLabel', { network: networkOf(checkout) }),
          action: locale.plainly('copyAddress'),
          value: html`<code id="address" dir="ltr">${inGroups(address)}</code>`,
          locale,
        })}
        ${copyable({
          id: 'sum',
          label: locale.say('exactAmount'),
          action: locale.plainly('copyAmount'),
          value: html`<bdi dir="ltr"><code id="sum">${amountDue}</code> <span>${currency}</span></bdi>`,
          locale,
        })}
        ${warning(checkout, locale)}
      </div>
    </div>
    <div class="bar">${copyButton('sum', locale, 'copyAmount')} ${copyButton('address', locale, 'copyAddress')}</div>`;
}

/**
 * The code and the wallets. Which of the two is seen at first on a phone depends on its pointer, so neither is checked
 * until the script or the customer says so.
 */
function waysOf({ checkout, locale }: PayView): Html {
  const codes = html`<div class="way code">${codesOf(checkout, locale)}</div>`;
  const wallets = walletsOf({ checkout, locale });
  if (!wallets) return html`<div class="ways">${codes}</div>`;
  const way = (id: string, name: Html) =>
    html`<input type="radio" name="way" id="way-${id}" class="unseen" value="${id}" autocomplete="off" /><label
        for="way-${id}"
        >${name}</label
      >`;
  return html`<fieldset class="ways">
    <legend class="unseen">${locale.say('howToPay')}</legend>
    <div class="tabs">${way('wallet', locale.say('wayWallet'))}${way('code', locale.say('codeTitle'))}</div>
    ${codes}
    <div class="way wallets">${wallets}</div>
  </fieldset>`;
}

/** Wallets on this device; false where nothing can be opened or asked. */
function walletsOf({ checkout, locale }: PayView): Html | false {
  const uri = walletLinkOf(checkout.paymentUri);
  const request = transferRequestOf(checkout);
  if (uri === null && !request) return false;
  const links = walletLinksOf(checkout);
  const link = (name: string, href: string) =>
    html`<a class="wallet" href="${href}" data-mark="${name.slice(0, 1)}" data-opens rel="noopener noreferrer"
      ><bdi>${name}</bdi></a
    >`;
  return html`${links.length > 0 && html`<div class="links">${links.map(({ name, href }) => link(name, href))}</div>`}
    ${uri !== null && html`<a class="button" href="${uri}" data-opens>${locale.say('openInWallet')}</a>`}
    <p id="no-wallet" class="hint" role="status" data-text="${locale.plainly('noWallet')}"></p>
    ${request && browserWallets(JSON.stringify(request), checkout, locale)}`;
}

/** Where the script offers the wallets that the browser has, with all that it may have to say. */
function browserWallets(request: string, { networkName }: Payable, locale: Locale): Html {
  return html`<div
    id="browser-wallets"
    hidden
    data-request="${request}"
    data-with="${locale.plainly('payWith', { wallet: '%' })}"
    data-asked="${locale.plainly('walletAsks')}"
    data-sent="${locale.plainly('walletSent')}"
    data-refused="${locale.plainly('walletRefused')}"
    data-failed="${locale.plainly('walletFailed')}"
    data-network="${locale.plainly('walletNetwork', { network: networkName })}"
  >
    <div class="buttons"></div>
    <p class="outcome hint" role="status"></p>
  </div>`;
}

/** Groups of four, as an address is compared; its first and its last are what people look at. Copied, it is whole. */
function inGroups(address: string): Html {
  const [, prefix = '', rest = ''] = /^(0x)?(.*)$/s.exec(address) ?? [];
  const groups = rest.match(/.{1,4}/gs) ?? [];
  const last = groups.length - 1;
  return html`${groups.map((group, nth) => {
    const text = nth === 0 ? `${prefix}${group}` : group;
    return nth === 0 || nth === last ? html`<b>${text}</b>` : html`<span>${text}</span>`;
  })}`;
}

/**
 * A token's URI of EIP-681 names the contract first: wallets that do not know the form ignore the amount, or send to
 * the contract. So its code is seen only by those who ask for it.
 */
function codesOf({ amountDue, currency, paymentUri, address, networkName }: Payable, locale: Locale): Html {
  const values = { amount: locale.money(amountDue, currency), network: networkName };
  return qrCodes({
    title: locale.say('codeTitle'),
    address: { text: address, name: locale.say('codeOfAddress'), label: locale.plainly('addressQrLabel', values) },
    amount: { text: paymentUri, name: locale.say('codeWithAmount'), label: locale.plainly('qrLabel', values) },
    first: /^ethereum:[^?]*\/transfer\b/i.test(paymentUri) ? 'address' : 'amount',
  });
}

/**
 * Says in one line what may be sent, with the network's name as exchanges list it: most mistakes are the right coin on
 * the wrong network. The rest is for those who ask.
 */
function warning(checkout: Payable, locale: Locale): Html {
  const strong = (text: Html) => html`<strong>${text}</strong>`;
  const currency = code(checkout.currency);
  const network = html`<bdi>${networkOf(checkout)}</bdi>`;
  const choice = choiceOf(checkout);
  const choose = choice !== null && { currency, network: strong(html`<bdi>${choice}</bdi>`) };
  return html`<details id="warning" class="warning">
    <summary>
      <span
        >${locale.say('onlyThis', { currency, network: choice === null ? network : html`<bdi>${choice}</bdi>` })}</span
      >
      <span class="why">${locale.say('why')}</span>
    </summary>
    <p>${locale.say('warning', { currency: strong(currency), network: strong(network) })}</p>
    ${choose && html`<p class="choice">${locale.say('severalNetworks', choose)}</p>`}
  </details>`;
}

interface Copyable {
  /** The id of the element in `value` whose text is copied. */
  readonly id: string;
  readonly label: Html;
  readonly action: string;
  readonly value: Html;
  readonly locale: Locale;
}

function copyable({ id, label, action, value, locale }: Copyable): Html {
  return html`<div class="field">
    <p class="label">${label}</p>
    <p class="value">${value}</p>
    <button type="button" id="copy-${id}" ${copies(id, locale)} aria-label="${action}">${locale.say('copy')}</button>
  </div>`;
}

/** The same at the foot of a phone's screen, where a thumb reaches it. */
function copyButton(id: string, locale: Locale, action: 'copyAmount' | 'copyAddress'): Html {
  return html`<button type="button" ${copies(id, locale)}>${locale.say(action)}</button>`;
}

const copies = (id: string, locale: Locale): Html =>
  html`data-copy="${id}" data-done="${locale.plainly('copied')}" data-manual="${locale.plainly('selected')}"`;
