// The bounds of what customers may say at an open payment link.

import type { ReactNode } from 'react';
import { Field } from '../../components/forms/field.tsx';

interface BoundsProps {
  readonly minAmount?: string | null;
  readonly maxAmount?: string | null;
}

export function Bounds({ minAmount, maxAmount }: BoundsProps): ReactNode {
  const shared = { inputMode: 'decimal', autoComplete: 'off' } as const;
  return (
    <div className="pair">
      <Field {...shared} label="At least" name="minAmount" hint="Optional" defaultValue={minAmount ?? ''} />
      <Field {...shared} label="At most" name="maxAmount" hint="Optional" defaultValue={maxAmount ?? ''} />
    </div>
  );
}
