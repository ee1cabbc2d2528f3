// The mark and the name of the product.

import type { ReactNode } from 'react';
import { MARK } from '../../../../src/values/look/mark.ts';

/** `children` follow the name, such as whose pages these are. */
export function Brand({ children }: { readonly children?: ReactNode }): ReactNode {
  return (
    <p className="brand">
      <img src={MARK} alt="" width="20" height="20" />
      <span className="product">Turnpike</span>
      {children}
    </p>
  );
}
