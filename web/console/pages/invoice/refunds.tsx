// The refunds of an invoice's payments, each in its own coin, with what the money was worth and is worth now.

import { useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { priceDecimals } from '../../../../src/values/prices/currencies.ts';
import { isZero, less, shareOf, worthAt } from '../../amounts.ts';
import { RatesDocument, type QuoteRowFragment, type WholeInvoiceFragment } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Facts } from '../../components/overlays/sheet.tsx';
import { Refund } from '../payment/refund.tsx';
import { Refunds } from '../payment/refunds.tsx';

interface InvoiceRefundsProps {
  readonly invoice: WholeInvoiceFragment;
  readonly onChange: () => void;
}

export function InvoiceRefunds({ invoice: { payments, currency }, onChange }: InvoiceRefundsProps): ReactNode {
  return payments.map((quote, at) =>
    isZero(quote.amountConfirmed) ? null : (
      <QuoteRefunds
        key={quote.id}
        quote={quote}
        name={payments.length === 1 ? '' : ` of quote ${String(at + 1)}, ${inWords(quote)}`}
        currency={currency}
        onChange={onChange}
      />
    ),
  );
}

interface QuoteProps {
  readonly quote: QuoteRowFragment;
  /** The invoice's currency. */
  readonly currency: string;
}

function QuoteRefunds(props: QuoteProps & { readonly name: string; readonly onChange: () => void }): ReactNode {
  const { quote, currency, name, onChange } = props;
  const [turn, setTurn] = useState(0);
  return (
    <>
      <Refunds
        title={`Refunds${name}`}
        paymentId={quote.id}
        currency={quote.currency}
        turn={turn}
        onChange={onChange}
      />
      <Refund
        title={`Refund${name}`}
        payment={quote}
        onChange={() => {
          setTurn((times) => times + 1);
          onChange();
        }}
      >
        <Worth quote={quote} currency={currency} />
      </Refund>
    </>
  );
}

/** The value of what can be refunded: as it counted for the invoice, and at the market's rate now. */
function Worth({ quote, currency }: QuoteProps): ReactNode {
  const [{ data }] = useQuery({ query: RatesDocument, variables: { currency } });
  const { amountConfirmed, amountRefunded, valueConfirmed } = quote;
  const left = less(amountConfirmed, amountRefunded);
  const decimals = priceDecimals(currency) ?? 0;
  const now = data?.rates.find(({ asset }) => asset === quote.currency)?.rate;
  return (
    <Facts
      rows={[
        ['Refundable', <Amount key="left" value={left} currency={quote.currency} />],
        [
          'Value when paid',
          <Amount key="then" value={shareOf(valueConfirmed, left, amountConfirmed, decimals)} currency={currency} />,
        ],
        [
          'Value now',
          now ? <Amount key="now" value={worthAt(left, now, decimals)} currency={currency} /> : 'No rate right now',
        ],
      ]}
    />
  );
}
