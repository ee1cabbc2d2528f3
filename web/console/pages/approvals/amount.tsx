// The amount of a payout that waits. A refund is in the currency of its payment, which is looked up.

import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { isZero, readable } from '../../amounts.ts';
import { PaymentAssetDocument } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import type { WaitingPayout } from '../../components/payouts/use-waiting-payouts.ts';
import { useSession } from '../../session.ts';

export function PayoutAmount({ payout }: { readonly payout: WaitingPayout }): ReactNode {
  if (payout.__typename === 'Refund') return <RefundAmount amount={payout.amount} paymentId={payout.paymentId} />;
  const { amount, networkFee, currency, network } = payout;
  return (
    <span>
      <Amount value={amount} currency={currency} network={network} />
      {!isZero(networkFee) && <span className="quietly"> and {networkFee} fee</span>}
    </span>
  );
}

function RefundAmount({ amount, paymentId }: { readonly amount: string; readonly paymentId: string }): ReactNode {
  const { may } = useSession();
  const [{ data }] = useQuery({
    query: PaymentAssetDocument,
    variables: { id: paymentId },
    pause: !may('READ_PAYMENTS'),
    requestPolicy: 'cache-first',
  });
  if (!data?.payment) return readable(amount);
  return (
    <span>
      <Amount value={amount} currency={data.payment.currency} network={data.payment.network} />
    </span>
  );
}
