// A text with a button that copies it.

import { useState, type ReactNode } from 'react';
import { announce } from './announcer.tsx';
import { Button } from './forms/button.tsx';

interface CopyProps {
  readonly value: string;
  /** The name of the value, such as "address" or "secret". */
  readonly label: string;
  /** Shows only the two ends of a long value, whose middle is never read; the whole value is copied. */
  readonly isShort?: boolean;
  /** Keeps the lines of the value, on a ground of their own. */
  readonly isBlock?: boolean;
}

export function Copy({ value, label, isShort = false, isBlock = false }: CopyProps): ReactNode {
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
      announce(`Copied the ${label}`);
    } catch {
      announce(`This browser does not let us copy: please select the ${label} by hand`);
    }
  };
  return (
    <span className={isBlock ? 'copy block' : 'copy'}>
      <code title={isShort ? value : undefined}>{isShort ? shortened(value) : value}</code>
      <Button look="link" aria-label={`${isCopied ? 'Copied' : 'Copy'} the ${label}`} onPress={() => void copy()}>
        {isCopied ? 'Copied' : 'Copy'}
      </Button>
    </span>
  );
}

const shortened = (text: string) => (text.length > 22 ? `${text.slice(0, 10)}…${text.slice(-8)}` : text);
