// The form of a payment link: its fields, how they are read from what a browser sends, and how they are shown.

import { html, type Html } from '../html.ts';
import { code, type Key, type Locale } from '../locale.ts';
import type { LinkCheckout, LinkSubmission } from './link-checkout.ts';

/** The name of a field, in the form and in a submission. */
export type FieldName = 'amount' | 'email' | 'name' | 'phone' | 'address' | 'note';

/** What the customer wrote, by field; a field that is left out or empty was not filled in. */
export type Filled = Readonly<Partial<Record<FieldName, string>>>;

/** A field of the form. */
interface Field {
  readonly name: FieldName;
  readonly label: Key;
  /** Attributes of the control: what a phone's keyboard and the browser's memory offer. */
  readonly type: string;
  readonly inputMode: string;
  readonly autocomplete: string;
  readonly maxLength: number;
  /** Several lines. */
  readonly isLong: boolean;
}

const short = (name: FieldName, label: Key, type: string, autocomplete: string): Field => ({
  ...{ name, label, type, autocomplete, inputMode: type, maxLength: 255, isLong: false },
});
const long = (name: FieldName, label: Key, autocomplete: string): Field => ({
  ...{ name, label, autocomplete, type: 'text', inputMode: 'text', maxLength: 500, isLong: true },
});

const AMOUNT: Field = {
  ...short('amount', 'fieldAmount', 'text', 'off'),
  ...{ inputMode: 'decimal', maxLength: 40 },
};

const FIELDS: Readonly<Record<LinkCheckout['requiredFields'][number], Field>> = {
  EMAIL: short('email', 'fieldEmail', 'email', 'email'),
  NAME: short('name', 'fieldName', 'text', 'name'),
  PHONE: short('phone', 'fieldPhone', 'tel', 'tel'),
  ADDRESS: long('address', 'fieldAddress', 'street-address'),
  NOTE: long('note', 'fieldNote', 'off'),
};

const NAMES: readonly FieldName[] = ['amount', ...Object.values(FIELDS).map(({ name }) => name)];

/** Reads the fields of a form, or of the address that a shop's own button made. */
export function readFilled(sent: URLSearchParams): Filled {
  const filled = NAMES.flatMap((name) => {
    const text = (sent.get(name) ?? '').replaceAll('\r\n', '\n').trim();
    return text === '' ? [] : [[name, text] as const];
  });
  return Object.fromEntries(filled);
}

/** What is submitted. A comma among the digits of an amount is a point: most of our languages write it so. */
export function submissionOf(linkId: string, { amount, ...rest }: Filled): LinkSubmission {
  return { linkId, ...rest, ...(amount !== undefined && { amount: amount.replace(/^(\d+),(\d+)$/, '$1.$2') }) };
}

/** The form as it is shown. */
export interface FormView {
  readonly link: LinkCheckout;
  readonly filled: Filled;
  /** The fields that were refused. */
  readonly faults: readonly FieldName[];
  /** Under which the form is sent: sent twice, it makes one invoice. */
  readonly key: string;
  /** The query of the form's address, which keeps the language. */
  readonly query: string;
  readonly locale: Locale;
}

/** The form, which is sent to the page's own address. */
export function linkForm(view: FormView): Html {
  const { link, key, locale } = view;
  const { requiredFields: required, optionalFields: optional } = link;
  return html`<form class="fill" method="post" action="/pay/${encodeURIComponent(link.id)}${view.query}">
    <input type="hidden" name="key" value="${key}" />
    ${link.amount === null && control(AMOUNT, true, view)}
    ${required.map((field) => control(FIELDS[field], true, view))}
    ${optional.map((field) => control(FIELDS[field], false, view))}
    <button id="next" class="button">${locale.say('next')}</button>
  </form>`;
}

function control(field: Field, isRequired: boolean, view: FormView): Html {
  const { link, filled, faults, locale } = view;
  const { name } = field;
  const label = locale.say(field.label, { currency: code(link.currency) });
  const hint = name === 'amount' && boundsOf(link, locale);
  const isFault = faults.includes(name);
  const fault = filled[name] ? 'fieldFault' : 'fieldMissing';
  const described = [hint && `${name}-hint`, isFault && `${name}-fault`].filter((id) => id !== false).join(' ');
  return html`<div class="entry">
    <label for="${name}">${label}${!isRequired && html` <small>(${locale.say('optional')})</small>`}</label>
    ${entry(field, { value: filled[name] ?? '', isRequired, isFault, described })}
    ${hint && html`<small id="${name}-hint">${hint}</small>`}
    ${isFault && html`<p id="${name}-fault" class="fault">${locale.say(fault)}</p>`}
  </div>`;
}

interface Entry {
  readonly value: string;
  readonly isRequired: boolean;
  readonly isFault: boolean;
  /** The ids of what describes the control. */
  readonly described: string;
}

/** `dir="auto"`: what is written decides, as a name may be in another script than the page. */
function entry({ name, type, inputMode, autocomplete, maxLength, isLong }: Field, shown: Entry): Html {
  const { value, isRequired, isFault, described } = shown;
  const marks = html`aria-required="${isRequired ? 'true' : 'false'}" aria-invalid="${isFault ? 'true' : 'false'}"
  aria-describedby="${described}" autocomplete="${autocomplete}" maxlength="${maxLength}" dir="auto"`;
  if (isLong) return html`<textarea id="${name}" name="${name}" rows="3" ${marks}>${`\n${value}`}</textarea>`;
  return html`<input id="${name}" name="${name}" type="${type}" inputmode="${inputMode}" value="${value}" ${marks} />`;
}

function boundsOf({ minAmount, maxAmount, currency }: LinkCheckout, locale: Locale): Html | false {
  const min = minAmount === null ? null : code(locale.price(minAmount, currency));
  const max = maxAmount === null ? null : code(locale.price(maxAmount, currency));
  if (min && max) return locale.say('amountBetween', { min, max });
  if (min) return locale.say('amountFrom', { min });
  return max !== null && locale.say('amountUpTo', { max });
}
