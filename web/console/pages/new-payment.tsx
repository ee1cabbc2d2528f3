// Creates a payment by hand: for an order by telephone, or to try the gateway.

import { useState, type ReactNode } from 'react';
import { Form } from 'react-aria-components';
import { useLocation } from 'wouter';
import { useMutation, useQuery } from 'urql';
import { faultsOf, messageOf } from '../errors.ts';
import { networkName } from '../networks.ts';
import { AssetsDocument, CreatePaymentDocument } from '../generated/operations.ts';
import { announce } from '../components/announcer.tsx';
import { Button } from '../components/forms/button.tsx';
import { Field } from '../components/forms/field.tsx';
import { LinkButton } from '../components/forms/link-button.tsx';
import { Select } from '../components/forms/select.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';

const TEXTS = ['merchantOrderId', 'productName', 'customerEmail', 'returnUrl'] as const;

export default function NewPayment(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: AssetsDocument });
  const [{ error: refusal, fetching }, create] = useMutation(CreatePaymentDocument);
  const [, go] = useLocation();
  const [chosen, choose] = useState<string | null>(null);
  if (error) return <Problem error={error} onRetry={() => reload({ requestPolicy: 'network-only' })} />;
  if (!data) return <Loading lines={6} />;
  const available = data.currencies.filter((row) => row.available);
  const keyOf = ({ currency, network }: (typeof available)[number]) => `${currency}/${network}`;
  const asset = available.find((row) => keyOf(row) === chosen) ?? available[0];
  if (!asset) return <Empty title="No currency is available right now.">The networks are not reachable.</Empty>;
  const faults = faultsOf(refusal);
  const submit = async (form: FormData) => {
    const text = (name: string) => {
      const value = form.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const further = Object.fromEntries(TEXTS.filter((name) => text(name) !== '').map((name) => [name, text(name)]));
    const { currency, network } = asset;
    const made = await create({ input: { amount: text('amount'), currency, network, ...further } });
    if (!made.data) return;
    announce('Payment created');
    go(`/payments/${made.data.createPayment.id}`);
  };
  return (
    <Sheet title="What the customer pays">
      <Form
        className="form narrow"
        validationErrors={faults}
        onSubmit={(event) => {
          event.preventDefault();
          if (!fetching) void submit(new FormData(event.currentTarget));
        }}
      >
        <Select
          label="Currency"
          value={keyOf(asset)}
          onChange={choose}
          options={available.map((row) => [keyOf(row), `${row.currency} on ${networkName(row.network)}`])}
        />
        <Field
          label="Amount"
          name="amount"
          inputMode="decimal"
          autoComplete="off"
          hint={`${asset.currency}, from ${asset.minAmount} to ${asset.maxAmount}, such as 25.00`}
          isRequired
        />
        <Field
          label="Your reference"
          name="merchantOrderId"
          autoComplete="off"
          hint="Optional. For example your order number, to find the payment by."
        />
        <Field label="Description" name="productName" autoComplete="off" hint="Optional. The customer sees it." />
        <Field
          label="Customer’s e-mail"
          name="customerEmail"
          type="email"
          autoComplete="off"
          hint="Optional. Only you see it."
        />
        <Field
          label="Return URL"
          name="returnUrl"
          type="url"
          autoComplete="off"
          hint="Optional. Where the customer goes afterwards: a page of your shop, beginning with https://"
        />
        {refusal && Object.keys(faults).length === 0 && (
          <p className="fault" role="alert">
            {messageOf(refusal)}
          </p>
        )}
        <div className="actions">
          <Button type="submit" isPending={fetching}>
            Create payment
          </Button>
          <LinkButton href="/payments" look="quiet">
            Back
          </LinkButton>
        </div>
      </Form>
    </Sheet>
  );
}
