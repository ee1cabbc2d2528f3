// A labelled field with several lines.

import type { ReactNode } from 'react';
import { FieldError, Label, Text, TextArea as AriaTextArea, TextField } from 'react-aria-components';
import { revalidateOnInput } from '../hooks/revalidate-on-input.ts';

interface TextAreaProps {
  readonly label: string;
  readonly name: string;
  readonly hint: string;
  readonly defaultValue?: string;
  readonly rows?: number;
  /** What is wrong with a text; null for nothing. */
  readonly validate?: (text: string) => string | null;
}

export function TextArea({ label, hint, rows = 3, ...rest }: TextAreaProps): ReactNode {
  return (
    <TextField {...rest} className="field">
      <Label>{label}</Label>
      <AriaTextArea rows={rows} onInput={revalidateOnInput} />
      <Text slot="description" className="hint">
        {hint}
      </Text>
      <FieldError className="fault" />
    </TextField>
  );
}
