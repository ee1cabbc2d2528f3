// One payment link: its state, how to give it to customers, and what its invoices begin with.

import { useCallback, type ReactNode } from 'react';
import { Link, useParams } from 'wouter';
import { useQuery } from 'urql';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { errorCodeOf } from '../../client.ts';
import {
  InvoiceChangesDocument,
  PaymentLinkDocument,
  type LinkField,
  type WholePaymentLinkFragment,
} from '../../generated/operations.ts';
import { May } from '../../components/may.tsx';
import { Copy } from '../../components/copy.tsx';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Button } from '../../components/forms/button.tsx';
import { LinkButton } from '../../components/forms/link-button.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { ButtonCode } from './button-code.tsx';
import { FIELD_WORDS } from './asked-fields.tsx';
import { LinkPrice, LinkState, LinkUses } from './link-state.tsx';
import { QrCode } from './qr-code.tsx';
import { useSwitch } from './use-switch.tsx';
import '../../style/payment.css';
import '../../style/links.css';

export default function PaymentLink(): ReactNode {
  const { id = '' } = useParams<{ id: string }>();
  const [{ data, error }, reload] = useQuery({ query: PaymentLinkDocument, variables: { id } });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  // Its uses move with its invoices.
  const onChange = useThrottled(refresh);
  useChanges(InvoiceChangesDocument, {}, ({ invoiceUpdated: invoice }) => {
    if (invoice.linkId === id) onChange();
  });
  if (data?.paymentLink) return <Whole link={data.paymentLink} onChange={refresh} />;
  if (error && errorCodeOf(error) !== '2004') return <Problem error={error} onRetry={refresh} />;
  if (!error) return <Loading lines={8} />;
  return <NoLink />;
}

/** Shown for an id that the merchant has no link with. */
export const NoLink = (): ReactNode => (
  <Empty title="Payment link not found.">
    <Link href="/payment-links">All payment links</Link>
  </Empty>
);

interface PartProps {
  readonly link: WholePaymentLinkFragment;
}

function Whole({ link, onChange }: PartProps & { onChange: () => void }): ReactNode {
  const { id, name, url, enabled } = link;
  const { onSwitch, question } = useSwitch(onChange);
  return (
    <>
      <p className="back">
        <Link href="/payment-links">All payment links</Link>
      </p>
      <PageActions>
        <a className="button quiet" href={url} target="_blank" rel="noreferrer">
          Customers’ page<span className="unseen"> (opens in a new tab)</span>
        </a>
        <May permissions={['CREATE_PAYMENTS']}>
          <Button look="quiet" onPress={() => onSwitch(link)}>
            {enabled ? 'Disable' : 'Enable'}
          </Button>
          <LinkButton href={`/payment-links/${id}/change`}>Change</LinkButton>
        </May>
      </PageActions>
      {question}
      <section className="sheet summary" aria-label="Summary">
        <h2 className="long">{name}</h2>
        <p className="asked">
          <LinkPrice link={link} />
        </p>
        <p role="status">
          <LinkState link={link} />
        </p>
        <Facts rows={[['Uses', <LinkUses key="uses" link={link} />]]} />
        <p className="hint">Invoices count as uses while they are confirming, paid or refunded.</p>
        <LinkButton href={`/invoices?link=${id}`} look="quiet">
          Its invoices
        </LinkButton>
      </section>
      <div className="halves">
        <Sheet title="Link and QR code">
          <p>
            <Copy value={url} label="link" />
          </p>
          <QrCode text={url} name={name} />
        </Sheet>
        <ButtonCode link={link} />
      </div>
      <Details link={link} />
    </>
  );
}

const asked = (fields: readonly LinkField[]) => fields.map((field) => FIELD_WORDS[field]).join(', ');

function Details({ link }: PartProps): ReactNode {
  return (
    <Sheet title="Details">
      <Facts
        rows={[
          ['Link ID', <Copy key="id" value={link.id} label="link id" />],
          link.description === null ? null : ['Description', link.description],
          ['Required fields', asked(link.requiredFields) || 'Nothing'],
          link.optionalFields.length > 0 ? ['Optional fields', asked(link.optionalFields)] : null,
          ['Coins', link.acceptedAssets?.map(inWords).join(', ') ?? 'All'],
          ['Ends', link.endsAt === null ? 'Never' : <Time key="ends" value={link.endsAt} isExact />],
          link.expirationMinutes === null ? null : ['Minutes to pay an invoice', String(link.expirationMinutes)],
          link.returnUrl === null ? null : ['Return URL', link.returnUrl],
          link.callbackUrl === null ? null : ['Callback URL', link.callbackUrl],
          ...Object.entries(link.metadata ?? {}).map(([name, value]) => [`Metadata: ${name}`, String(value)] as const),
          ['Created', <Time key="created" value={link.createdAt} />],
          ['Updated', <Time key="changed" value={link.updatedAt} />],
        ]}
      />
    </Sheet>
  );
}
