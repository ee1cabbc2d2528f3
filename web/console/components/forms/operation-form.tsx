// A form that runs one operation: an error that belongs to a field is shown there, any other above the button.

import { useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import type { CombinedError } from 'urql';
import { faultsOf } from '../../errors.ts';
import { Fault } from './fault.tsx';
import { Button } from './button.tsx';

/** The result of an operation: nothing, or the error. */
export interface Outcome {
  readonly error?: CombinedError | undefined;
}

interface OperationFormProps {
  readonly action: string;
  readonly onSubmit: (data: FormData, form: HTMLFormElement) => Promise<Outcome>;
  /** Shows a Cancel button, which changes nothing. */
  readonly onCancel?: () => void;
  /** It cannot be sent as things are. */
  readonly isDisabled?: boolean;
  readonly children?: ReactNode;
}

export function OperationForm({
  action,
  onSubmit,
  onCancel,
  isDisabled = false,
  children,
}: OperationFormProps): ReactNode {
  const [isBusy, setBusy] = useState(false);
  const [faults, setFaults] = useState<Record<string, string>>({});
  const [message, setMessage] = useState<ReactNode>(null);
  const submit = async (form: HTMLFormElement) => {
    setBusy(true);
    setMessage(null);
    const { error } = await onSubmit(new FormData(form), form);
    const found = byField(faultsOf(error), form);
    const strays = Object.keys(found).filter((name) => form.elements.namedItem(name) === null);
    setBusy(false);
    setFaults(found);
    if (!error) return;
    if (Object.keys(found).length === 0) setMessage(<Fault error={error} />);
    else if (strays.length > 0) setMessage(strays.map((name) => `${name}: ${found[name] ?? ''}`).join(' '));
  };
  return (
    <Form
      className="form"
      validationErrors={faults}
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void submit(event.currentTarget);
      }}
    >
      {children}
      {message !== null && (
        <p className="fault" role="alert">
          {message}
        </p>
      )}
      <div className="actions">
        {onCancel && (
          <Button look="quiet" onPress={onCancel} isDisabled={isBusy}>
            Cancel
          </Button>
        )}
        <Button type="submit" isPending={isBusy} isDisabled={isDisabled}>
          {action}
        </Button>
      </div>
    </Form>
  );
}

/**
 * Errors by field. One of a list's item (`fixedRates.2.rate`, `fixedRates.2`) is shown at the item's own field or its
 * first, and where items have no fields of their own (`ipWhitelist.2`), at the list's.
 */
function byField(faults: Readonly<Record<string, string>>, form: HTMLFormElement): Record<string, string> {
  const fields = [...form.elements].map((field) => field.getAttribute('name') ?? '');
  const named: Record<string, string> = {};
  for (const [path, message] of Object.entries(faults)) {
    const own = fields.find((name) => name === path) ?? fields.find((name) => name.startsWith(`${path}.`));
    const [name = path, item] = own === undefined ? path.split('.') : [own];
    named[name] ??= item === undefined ? message : `Entry ${String(Number(item) + 1)}: ${message}`;
  }
  return named;
}

/** A text field's value without surrounding white space; empty if there is none. */
export function textOf(data: FormData, name: string): string {
  return wholeTextOf(data, name).trim();
}

/** A password exactly as typed, including white space. */
export function wholeTextOf(data: FormData, name: string): string {
  const value = data.get(name);
  return typeof value === 'string' ? value : '';
}

/** Like `textOf`, but null if empty. */
export const textOrNull = (data: FormData, name: string): string | null => textOf(data, name) || null;
