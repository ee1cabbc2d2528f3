// The HTML of a button that leads to a payment link, for the merchant's own page.

import { useState, type ReactNode } from 'react';
import type { WholePaymentLinkFragment } from '../../generated/operations.ts';
import { Copy } from '../../components/copy.tsx';
import { Check } from '../../components/forms/checks.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';

interface ButtonCodeProps {
  readonly link: WholePaymentLinkFragment;
}

export function ButtonCode({ link }: ButtonCodeProps): ReactNode {
  const [hasAmount, setHasAmount] = useState(false);
  return (
    <Sheet title="Button for your own page">
      <div className="form">
        <p className="hint">
          Paste this HTML where the button should be. It needs no script; change its text and style as you like.
        </p>
        {link.amount === null && (
          <Check
            words="With a field for the amount"
            hint="The customer can still change it on the next page."
            onChange={setHasAmount}
          />
        )}
        <Copy value={codeOf(link, hasAmount)} label="button’s HTML" isBlock />
      </div>
    </Sheet>
  );
}

function codeOf({ url, currency }: WholePaymentLinkFragment, hasAmount: boolean): string {
  if (!hasAmount) return `<form action="${url}"><button>Pay</button></form>`;
  return `<form action="${url}">
  <label>Amount in ${currency} <input name="amount" inputmode="decimal"></label>
  <button>Pay</button>
</form>`;
}
