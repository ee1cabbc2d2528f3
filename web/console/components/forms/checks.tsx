// A group of labelled checkboxes.

import type { ReactNode } from 'react';
import { Checkbox, CheckboxGroup, FieldError, Label, Text } from 'react-aria-components';

interface ChecksProps {
  readonly label: string;
  readonly name: string;
  readonly options: readonly (readonly [value: string, words: string, hint?: string])[];
  readonly defaultValue?: readonly string[];
  readonly hint?: string;
  readonly isRequired?: boolean;
}

export function Checks({ label, name, options, defaultValue = [], hint, isRequired = false }: ChecksProps): ReactNode {
  return (
    <CheckboxGroup className="field checks" name={name} defaultValue={[...defaultValue]} isRequired={isRequired}>
      <Label>{label}</Label>
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      {options.map(([value, words, more]) => (
        <Check key={value} value={value} words={words} {...(more !== undefined && { hint: more })} />
      ))}
      <FieldError className="fault" />
    </CheckboxGroup>
  );
}

interface CheckProps {
  readonly words: string;
  readonly hint?: string;
  readonly value?: string;
  readonly name?: string;
  readonly defaultSelected?: boolean;
  readonly onChange?: (isSelected: boolean) => void;
}

/** A single checkbox. */
export function Check({ words, hint, ...rest }: CheckProps): ReactNode {
  return (
    <Checkbox {...rest} className="check">
      <span className="box" aria-hidden="true" />
      <span>
        {words}
        {hint && <span className="hint"> {hint}</span>}
      </span>
    </Checkbox>
  );
}
