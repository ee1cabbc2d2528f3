// Changes a payment link, besides its price and currency.

import type { ReactNode } from 'react';
import { useLocation, useParams } from 'wouter';
import { useMutation, useQuery } from 'urql';
import { errorCodeOf } from '../../client.ts';
import {
  PaymentLinkDocument,
  UpdatePaymentLinkDocument,
  type WholePaymentLinkFragment,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { OperationForm } from '../../components/forms/operation-form.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Bounds } from './bounds.tsx';
import { changesOf, LinkFields } from './link-fields.tsx';
import { LinkPrice } from './link-state.tsx';
import { NoLink } from './page.tsx';
import '../../style/links.css';

export default function ChangePaymentLink(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  // Once, from the gateway: a form is not changed under the hands of the person who fills it in.
  const [{ data, error, stale }, reload] = useQuery({ query: PaymentLinkDocument, variables: { id } });
  if (data?.paymentLink && !stale) return <ChangeForm link={data.paymentLink} />;
  if (error && errorCodeOf(error) !== '2004')
    return <Problem error={error} onRetry={() => reload({ requestPolicy: 'network-only' })} />;
  return error ? <NoLink /> : <Loading lines={8} />;
}

function ChangeForm({ link }: { readonly link: WholePaymentLinkFragment }): ReactNode {
  const [, update] = useMutation(UpdatePaymentLinkDocument);
  const [, go] = useLocation();
  const leave = () => go(`/payment-links/${link.id}`);
  const submit = async (data: FormData, form: HTMLFormElement) => {
    const input = changesOf(link, data, form);
    if (Object.keys(input).length === 0) {
      leave();
      return {};
    }
    const outcome = await update({ id: link.id, input });
    if (outcome.data) {
      announce('The link is changed; invoices keep what they have');
      leave();
    }
    return outcome;
  };
  return (
    <Sheet title="What the link is for">
      <div className="narrow">
        <OperationForm action="Save" onSubmit={submit} onCancel={leave}>
          <LinkFields link={link}>
            <p className="hint">
              <LinkPrice link={link} />. Price and currency cannot be changed: create another link for another price.
            </p>
            {link.amount === null && <Bounds minAmount={link.minAmount} maxAmount={link.maxAmount} />}
          </LinkFields>
        </OperationForm>
      </div>
    </Sheet>
  );
}
