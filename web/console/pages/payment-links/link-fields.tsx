// The fields of a payment link's form, and what they say.

import type { ReactNode } from 'react';
import type { WholePaymentLinkFragment } from '../../generated/operations.ts';
import { AssetChecks, assetsOf } from '../../components/forms/asset-checks.tsx';
import { Field } from '../../components/forms/field.tsx';
import { textOf, textOrNull } from '../../components/forms/operation-form.tsx';
import { TextArea } from '../../components/forms/text-area.tsx';
import { AskedFields, askedOf, inOrder } from './asked-fields.tsx';
import { linesOf, ownDataFault, ownDataOf } from './own-data.ts';

interface LinkFieldsProps {
  /** The link to change; none for a new one. */
  readonly link?: WholePaymentLinkFragment;
  /** The fields of the price, which stand below the description. */
  readonly children: ReactNode;
}

export function LinkFields({ link, children }: LinkFieldsProps): ReactNode {
  return (
    <>
      <Field
        label="Name"
        name="name"
        autoComplete="off"
        hint="Only you see it, such as “Shop window”."
        defaultValue={link?.name ?? ''}
        isRequired
      />
      <Field
        label="Description"
        name="description"
        autoComplete="off"
        hint="Optional. What customers pay for; they see it."
        defaultValue={link?.description ?? ''}
      />
      {children}
      <AskedFields link={link} />
      <Limits link={link} />
      <Field
        label="Return URL"
        name="returnUrl"
        type="url"
        autoComplete="off"
        hint="Optional. Where the customer goes afterwards: a page of your shop, beginning with https://"
        defaultValue={link?.returnUrl ?? ''}
      />
      <Field
        label="Callback URL"
        name="callbackUrl"
        type="url"
        autoComplete="off"
        hint="Optional. A URL of your server that gets the webhooks of the link’s invoices too."
        defaultValue={link?.callbackUrl ?? ''}
      />
      <OwnData link={link} />
      <AssetChecks hint="Choose none to take all that your settings allow." chosen={link?.acceptedAssets} />
    </>
  );
}

interface PartProps {
  readonly link: WholePaymentLinkFragment | undefined;
}

const isWhole = (text: string) => (/^\d*$/.test(text.trim()) ? null : 'A whole number');

function Limits({ link }: PartProps): ReactNode {
  return (
    <>
      <div className="pair">
        <Field
          label="Maximum uses"
          name="maxUses"
          inputMode="numeric"
          autoComplete="off"
          hint="Optional. The link closes after this many invoices."
          defaultValue={String(link?.maxUses ?? '')}
          validate={isWhole}
        />
        <Field
          label="Ends"
          name="endsAt"
          type="datetime-local"
          hint="Optional. In your own time zone."
          defaultValue={localTime(link?.endsAt ?? null)}
          validate={(text) => (text === '' || isTime(text) ? null : 'A date and a time')}
        />
      </div>
      <Field
        label="Minutes to pay an invoice"
        name="expirationMinutes"
        inputMode="numeric"
        autoComplete="off"
        hint="Optional. 5 to 43200; otherwise what your settings say."
        defaultValue={String(link?.expirationMinutes ?? '')}
        validate={isWhole}
      />
    </>
  );
}

function OwnData({ link }: PartProps): ReactNode {
  const lines = linesOf(link?.metadata ?? null);
  if (lines === null)
    return <p className="hint">The link’s metadata was set by the API, and can only be changed there.</p>;
  return (
    <TextArea
      label="Metadata"
      name="metadata"
      hint="Optional. One entry a line, such as “shelf = 12”. The link’s invoices and their webhooks carry it."
      defaultValue={lines}
      validate={ownDataFault}
    />
  );
}

const isTime = (text: string) => !Number.isNaN(Date.parse(text));

/** A moment as a field for local times has it, to the minute; empty for none. */
function localTime(moment: string | null): string {
  if (moment === null) return '';
  const at = new Date(moment);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

const numberOf = (data: FormData, name: string) => {
  const text = textOf(data, name);
  return text === '' ? null : Number(text);
};

/** What a form says of a link, besides its price and currency; null is nothing. */
function fieldsOf(data: FormData) {
  return {
    name: textOf(data, 'name'),
    description: textOrNull(data, 'description'),
    minAmount: textOrNull(data, 'minAmount'),
    maxAmount: textOrNull(data, 'maxAmount'),
    ...askedOf(data),
    maxUses: numberOf(data, 'maxUses'),
    endsAt: textOrNull(data, 'endsAt'),
    expirationMinutes: numberOf(data, 'expirationMinutes'),
    returnUrl: textOrNull(data, 'returnUrl'),
    callbackUrl: textOrNull(data, 'callbackUrl'),
    metadata: ownDataOf(textOf(data, 'metadata')),
    acceptedAssets: assetsOf(data),
  };
}

type Fields = ReturnType<typeof fieldsOf>;

/** A moment of a form, which is in local time, as the API takes it. */
const sent = <Some extends Partial<Fields>>(fields: Some) =>
  fields.endsAt == null ? fields : { ...fields, endsAt: new Date(fields.endsAt).toISOString() };

/** What a new link begins with; what is left empty is left out. */
export function newFieldsOf(data: FormData) {
  const { name, ...rest } = fieldsOf(data);
  const filled = Object.entries(rest).filter(([, value]) => value !== null);
  return { name, ...sent(Object.fromEntries(filled) as Partial<typeof rest>) };
}

/**
 * What a form changes of a link. Everything else is left out, so that the audit log names what was changed, and what
 * somebody else changed in the meantime stays. A field that the form does not have changes nothing.
 */
export function changesOf(link: WholePaymentLinkFragment, data: FormData, form: HTMLFormElement): Partial<Fields> {
  const before: Record<keyof Fields, unknown> = { ...link, ...inOrder(link), endsAt: localTime(link.endsAt) || null };
  const hasField = (name: string) => name.endsWith('Fields') || form.elements.namedItem(name) !== null;
  const changed = Object.entries(fieldsOf(data)).filter(
    ([name, value]) => hasField(name) && comparable(value) !== comparable(before[name as keyof Fields]),
  );
  return sent(Object.fromEntries(changed) as Partial<Fields>);
}

/** As text; of lists of coins, the order does not matter. */
function comparable(value: unknown): string {
  if (!Array.isArray(value)) return JSON.stringify(value);
  return JSON.stringify(value.map((item) => JSON.stringify(item)).toSorted());
}
