// The first steps of a merchant in the sandbox: a key, a payment, money from the faucet, a webhook. Progress is read
// from existing data, so it survives leaving the page, and any payment and any delivery count.

import { useCallback, useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useMutation, useQuery, type CombinedError } from 'urql';
import { messageOf } from '../../errors.ts';
import { inBrowser } from '../../components/hooks/keeping.ts';
import {
  AssetsDocument,
  CreateFirstKeyDocument,
  CreatePaymentDocument,
  DeliveryChangesDocument,
  FirstRunDocument,
  SimulateDepositDocument,
  type FirstRunQuery,
} from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Copy } from '../../components/copy.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { useChanges } from '../../components/hooks/use-changes.ts';
import { useDrawn } from '../../components/hooks/use-drawn.ts';
import { useThrottled } from '../../components/hooks/use-throttled.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { Loading } from '../../components/states.tsx';
import { useSession } from '../../session.ts';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';

const REFERENCE = 'first-test-payment';

/** The first steps, shown until the merchant dismisses them. */
export function FirstRun(): ReactNode {
  const { merchant } = useSession();
  const [{ data, error }, reload] = useQuery({ query: FirstRunDocument, pause: isAway(merchant.id) });
  const [, setAway] = useState(0);
  const drawn = useDrawn(data);
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  const onChange = useThrottled(refresh);
  useRefreshOnReturn(refresh);
  useChanges(DeliveryChangesDocument, {}, onChange);
  if (isAway(merchant.id) || (!data && error)) return null;
  if (!drawn)
    return (
      <Sheet title="Your first payment, in four steps">
        <Loading lines={12} />
      </Sheet>
    );
  const putAway = () => {
    inBrowser.keep(keyOf(merchant.id), 'yes');
    setAway((times) => times + 1);
  };
  return <Steps data={drawn} onChange={refresh} onPutAway={putAway} />;
}

const keyOf = (merchantId: string) => `turnpike/first-run-away/${merchantId}`;
const isAway = (merchantId: string) => inBrowser.read(keyOf(merchantId)) !== null;

interface StepsProps {
  readonly data: FirstRunQuery;
  readonly onChange: () => void;
  readonly onPutAway: () => void;
}

function Steps({ data, onChange, onPutAway }: StepsProps): ReactNode {
  const paid = data.paid.nodes.at(0);
  const payment = paid ?? data.payments.nodes.at(0);
  // Registration created the first key; the console never saw its secret.
  const hasKey = data.apiKeys.length > 1;
  const webhook = data.webhookReceiver.received.find(({ isGenuine }) => isGenuine);
  const isPaid = paid !== undefined;
  const delivered = webhook?.type ?? data.webhookDeliveries.nodes.at(0)?.eventType;
  const done = [hasKey, payment !== undefined, isPaid, isPaid && delivered !== undefined];
  const isOver = done.every(Boolean);
  const current = done.indexOf(false);
  return (
    <Sheet
      title={isOver ? 'All done: your first payment' : 'Your first payment, in four steps'}
      actions={
        <Button look="quiet" onPress={onPutAway}>
          {isOver ? 'Done' : 'Skip this'}
        </Button>
      }
    >
      <ol className="steps">
        <Step title="Create an API key" isDone={hasKey} isCurrent={current === 0}>
          <KeyStep hasKey={hasKey} onChange={onChange} />
        </Step>
        <Step title="Make a test payment" isDone={done[1] === true} isCurrent={current === 1}>
          <PaymentStep
            payment={payment}
            receiverUrl={data.webhookReceiver.url}
            isCurrent={current === 1}
            onChange={onChange}
          />
        </Step>
        <Step title="Pay it with test money" isDone={isPaid} isCurrent={current === 2}>
          <FaucetStep payment={payment} isCurrent={current === 2} onChange={onChange} />
        </Step>
        <Step title="See the webhook arrive" isDone={done[3] === true} isCurrent={current === 3}>
          <WebhookStep webhook={webhook} delivered={delivered} isCurrent={current === 3} />
        </Step>
      </ol>
    </Sheet>
  );
}

interface StepProps {
  readonly title: string;
  readonly isDone: boolean;
  readonly isCurrent: boolean;
  readonly children: ReactNode;
}

function Step({ title, isDone, isCurrent, children }: StepProps): ReactNode {
  return (
    <li className={isDone ? 'done' : isCurrent ? 'current' : undefined} {...(isCurrent && { 'aria-current': 'step' })}>
      <h3>
        {title}
        {isDone && <span className="unseen"> (done)</span>}
      </h3>
      {children}
    </li>
  );
}

function KeyStep({ hasKey, onChange }: { hasKey: boolean; onChange: () => void }): ReactNode {
  const [{ data, error, fetching }, create] = useConfirmedMutation(CreateFirstKeyDocument);
  const made = data?.createApiKey;
  if (made?.secret)
    return (
      <>
        <p>This is its secret. It is shown only once: store it with your shop’s other secrets.</p>
        <p>
          Key <Copy value={made.keyId} label="key id" />
          <br />
          Secret <Copy value={made.secret} label="secret" />
        </p>
      </>
    );
  if (hasKey) return null;
  const permissions = ['CREATE_PAYMENTS', 'READ_PAYMENTS', 'CANCEL_PAYMENTS', 'READ_WALLET', 'READ_REPORTS'] as const;
  return (
    <>
      <p>Your shop uses it to call the gateway. This key can create and read payments, but cannot move money out.</p>
      <Button
        isPending={fetching}
        onPress={() => void create({ input: { name: 'My shop', permissions: [...permissions] } }).then(onChange)}
      >
        Create a key
      </Button>
      <Fault error={error} />
    </>
  );
}

type FirstPayment = FirstRunQuery['payments']['nodes'][number];

interface PaymentStepProps {
  readonly payment: FirstPayment | undefined;
  readonly receiverUrl: string;
  readonly isCurrent: boolean;
  readonly onChange: () => void;
}

function PaymentStep({ payment, receiverUrl, isCurrent, onChange }: PaymentStepProps): ReactNode {
  const [{ data: assets }] = useQuery({ query: AssetsDocument });
  const [{ error, fetching }, create] = useMutation(CreatePaymentDocument);
  if (payment)
    return (
      <p>
        <Amount value={payment.amount} currency={payment.currency} network={payment.network} />.{' '}
        <a href={payment.paymentUrl} target="_blank" rel="noreferrer">
          See the page your customer sees<span className="unseen"> (opens in a new tab)</span>
        </a>
      </p>
    );
  if (!isCurrent) return null;
  const available = assets?.currencies.filter((row) => row.available) ?? [];
  const asset = available.find(({ currency, network }) => currency === 'USDT' && network === 'ETH') ?? available[0];
  if (!asset) return <p>No currency is available at the moment.</p>;
  const { currency, network } = asset;
  const amount = currency === 'USDT' ? '25.00' : asset.minAmount;
  const input = {
    amount,
    currency,
    network,
    merchantOrderId: REFERENCE,
    productName: 'Test payment',
    test: true,
    callbackUrl: receiverUrl,
  };
  return (
    <>
      <p>
        Asks for <Amount value={amount} currency={currency} network={network} />, as your shop will for an order.
      </p>
      <Button isPending={fetching} onPress={() => void create({ input }).then(onChange)}>
        Make a test payment
      </Button>
      <Fault error={error} />
    </>
  );
}

interface FaucetStepProps {
  readonly payment: FirstPayment | undefined;
  readonly isCurrent: boolean;
  readonly onChange: () => void;
}

function FaucetStep({ payment, isCurrent, onChange }: FaucetStepProps): ReactNode {
  const [{ error, fetching }, deposit] = useMutation(SimulateDepositDocument);
  if (!payment || !isCurrent) return null;
  const pay = async () => {
    const { data } = await deposit({ input: { paymentId: payment.id } });
    if (data) announce('The test money has arrived');
    onChange();
  };
  return (
    <>
      <p>The sandbox sends the amount on its own test network. No real money moves.</p>
      <Button isPending={fetching} onPress={() => void pay()}>
        Pay from the faucet
      </Button>
      <Fault error={error} />
    </>
  );
}

interface WebhookStepProps {
  /** What the test receiver got. */
  readonly webhook: FirstRunQuery['webhookReceiver']['received'][number] | undefined;
  /** The type of an event that some receiver took. */
  readonly delivered: string | undefined;
  readonly isCurrent: boolean;
}

function WebhookStep({ webhook, delivered, isCurrent }: WebhookStepProps): ReactNode {
  if (webhook)
    return (
      <p role="status">
        <code>{webhook.type}</code> arrived at the test receiver, and its signature is valid.{' '}
        <Link href="/receiver">Look at it</Link>
      </p>
    );
  if (delivered !== undefined && !isCurrent)
    return (
      <p role="status">
        <code>{delivered}</code> was delivered. <Link href="/webhooks">Look at the deliveries</Link>
      </p>
    );
  return isCurrent ? <p role="status">Waiting for it. It is sent within seconds of the payment.</p> : null;
}

function Fault({ error }: { error: CombinedError | undefined }): ReactNode {
  return (
    error && (
      <p className="fault" role="alert">
        {messageOf(error)}
      </p>
    )
  );
}
