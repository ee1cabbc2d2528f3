// The receipt of a payment that has come: what for, what came, when, and by which transactions.

import type { Checkout } from './checkout.ts';
import { html, type Html } from './html.ts';
import type { Locale } from './locale.ts';
import { plain } from './words.ts';

/** A transaction as the page shows it. */
export type ShownTransaction = Readonly<Checkout['transactions'][number]>;

/** What a receipt is made from. */
export interface ReceiptFacts {
  readonly productName: string | null;
  readonly merchantOrderId: string | null;
  /** The rows of what was asked for and what came. */
  readonly sums: readonly Html[];
  readonly network: string | null;
  /** When it was complete, or the first money was seen; ISO 8601. */
  readonly date: string | null;
  readonly transactions: readonly ShownTransaction[];
}

/** Anyone may send dust to an address: a receipt is one page. */
const MOST_TRANSACTIONS = 5;

/** The rows of a receipt. Transactions that the chain has removed are not on it. */
export function receiptPart(facts: ReceiptFacts, locale: Locale): Html {
  const { productName, merchantOrderId, network, date } = facts;
  const onChain = facts.transactions.filter(({ status }) => status !== 'ORPHANED');
  const more = onChain.length - MOST_TRANSACTIONS;
  const row = (name: Html, value: Html) =>
    html`<div>
      <dt>${name}</dt>
      <dd>${value}</dd>
    </div>`;
  const text = (value: string) => html`<bdi>${plain(value)}</bdi>`;
  return html`<h2 class="unseen">${locale.say('receipt')}</h2>
    <dl class="receipt">
      ${productName !== null && row(locale.say('receiptFor'), text(productName))}
      ${merchantOrderId !== null && row(locale.say('receiptOrder'), text(merchantOrderId))} ${facts.sums}
      ${network !== null && row(locale.say('receiptNetwork'), text(network))}
      ${
        date !== null &&
        row(
          locale.say('receiptDate'),
          html`<time datetime="${date}" data-local="${locale.language.dates}">${locale.moment(date)}</time>`,
        )
      }
      ${
        onChain.length > 0 &&
        row(
          locale.say('receiptTransaction'),
          html`${onChain.slice(0, MOST_TRANSACTIONS).map((one) => html`${transaction(one)} `)}
          ${more > 0 && html`<span>${locale.say('andMore', { count: locale.count(more) })}</span>`}`,
        )
      }
    </dl>`;
}

/** Its first and last characters on the screen, the whole on paper. */
function transaction({ txHash, explorerUrl }: ShownTransaction): Html {
  const hash = html`<code dir="ltr" title="${txHash}"
    ><span class="short">${`${txHash.slice(0, 8)}…${txHash.slice(-6)}`}</span><span class="whole">${txHash}</span></code
  >`;
  const isLink = explorerUrl?.startsWith('https://') === true;
  return isLink ? html`<a href="${explorerUrl}" rel="noopener noreferrer" target="_blank">${hash}</a>` : hash;
}

/** When the money came: once it was enough, else the first of it. */
export function dateOf({ completedAt, transactions }: Pick<Checkout, 'completedAt' | 'transactions'>): string | null {
  return completedAt ?? transactions[0]?.seenAt ?? null;
}
