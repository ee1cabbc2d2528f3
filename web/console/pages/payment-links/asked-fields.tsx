// What the form of a payment link asks its customers for: each field not at all, if they like, or of everybody.

import type { ReactNode } from 'react';
import type { LinkField } from '../../generated/operations.ts';
import { Select } from '../../components/forms/select.tsx';
import { textOf } from '../../components/forms/operation-form.tsx';

export const FIELD_WORDS: Readonly<Record<LinkField, string>> = {
  EMAIL: 'E-mail address',
  NAME: 'Name',
  PHONE: 'Telephone',
  ADDRESS: 'Postal address',
  NOTE: 'Note',
};

const FIELDS = ['EMAIL', 'NAME', 'PHONE', 'ADDRESS', 'NOTE'] as const satisfies readonly LinkField[];

const OPTIONS = [
  ['', 'Not asked'],
  ['OPTIONAL', 'Optional'],
  ['REQUIRED', 'Required'],
] as const;

/** The fields of a link, in the order of its form's own list. */
export interface AskedOf {
  readonly requiredFields: LinkField[];
  readonly optionalFields: LinkField[];
}

export function AskedFields({ link }: { readonly link?: AskedOf | undefined }): ReactNode {
  const chosen = (field: LinkField) => {
    if (link?.requiredFields.includes(field)) return 'REQUIRED';
    return link?.optionalFields.includes(field) ? 'OPTIONAL' : '';
  };
  return (
    <fieldset className="group">
      <legend>Customer details</legend>
      <div className="pair">
        {FIELDS.map((field) => (
          <Select
            key={field}
            label={FIELD_WORDS[field]}
            name={`asks${field}`}
            options={OPTIONS}
            defaultValue={chosen(field)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** The fields that a form's choices name. */
export const askedOf = (data: FormData): AskedOf => ({
  requiredFields: FIELDS.filter((field) => textOf(data, `asks${field}`) === 'REQUIRED'),
  optionalFields: FIELDS.filter((field) => textOf(data, `asks${field}`) === 'OPTIONAL'),
});

/** A link's fields in the order in which a form names them. */
export const inOrder = ({ requiredFields, optionalFields }: AskedOf): AskedOf => ({
  requiredFields: FIELDS.filter((field) => requiredFields.includes(field)),
  optionalFields: FIELDS.filter((field) => optionalFields.includes(field)),
});
