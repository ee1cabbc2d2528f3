// A date (`YYYY-MM-DD`, or empty) in the browser's own date field.

import { useId, type ReactNode } from 'react';

interface DateFieldProps {
  readonly label: string;
  readonly name?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (day: string) => void;
  readonly min?: string;
  readonly max?: string;
}

export function DateField({ label, onChange, ...rest }: DateFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <input {...rest} id={id} type="date" onChange={onChange && ((event) => onChange(event.currentTarget.value))} />
    </div>
  );
}
