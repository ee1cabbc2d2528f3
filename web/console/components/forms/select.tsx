// A select field: the browser's own, which phones and screen readers handle best.

import { useId, type ReactNode } from 'react';

interface SelectProps {
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
  readonly name?: string;
  readonly value?: string;
  readonly defaultValue?: string;
  readonly onChange?: (value: string) => void;
  readonly hint?: string;
  readonly isRequired?: boolean;
}

export function Select({ label, options, hint, onChange, isRequired = false, ...rest }: SelectProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        {...rest}
        id={id}
        required={isRequired}
        aria-describedby={hint && `${id}-hint`}
        onChange={onChange && ((event) => onChange(event.currentTarget.value))}
      >
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
      {hint && (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
    </div>
  );
}
