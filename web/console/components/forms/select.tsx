// A select field: the browser's own, which phones and screen readers handle best.

import { useContext, useId, useState, type ReactNode } from 'react';
import { FormValidationContext } from 'react-aria-components';

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
  const faults = useContext(FormValidationContext);
  // As at other fields, the gateway's error is shown until the choice is changed.
  const [changedAfter, setChangedAfter] = useState<typeof faults | null>(null);
  const fault = rest.name !== undefined && changedAfter !== faults ? faults[rest.name] : undefined;
  const described = fault !== undefined ? `${id}-fault` : hint && `${id}-hint`;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <select
        {...rest}
        id={id}
        required={isRequired}
        aria-invalid={fault !== undefined || undefined}
        aria-describedby={described}
        onChange={(event) => {
          setChangedAfter(faults);
          onChange?.(event.currentTarget.value);
        }}
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
      {fault !== undefined && (
        <span className="fault" id={`${id}-fault`}>
          {fault}
        </span>
      )}
    </div>
  );
}
