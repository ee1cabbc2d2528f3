// A labelled text field with a hint and an error message.

import type { ReactNode } from 'react';
import { FieldError, Input, Label, Text, TextField, type TextFieldProps } from 'react-aria-components';
import { revalidateOnInput } from '../hooks/revalidate-on-input.ts';

interface FieldProps extends Omit<TextFieldProps, 'className' | 'children'> {
  readonly label: string;
  readonly hint?: string;
  readonly placeholder?: string;
}

export function Field({ label, hint, placeholder, ...rest }: FieldProps): ReactNode {
  return (
    <TextField {...rest} className="field">
      <Label>{label}</Label>
      <Input onInput={revalidateOnInput} {...(placeholder !== undefined && { placeholder })} />
      {hint && (
        <Text slot="description" className="hint">
          {hint}
        </Text>
      )}
      <FieldError className="fault" />
    </TextField>
  );
}
