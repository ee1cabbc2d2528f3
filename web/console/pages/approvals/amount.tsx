// The amount of what waits. A refund is in the currency of its payment, which is looked up; a batch may have several.

import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { isZero, readable, sum, written } from '../../amounts.ts';
import { PaymentAssetDocument } from '../../generated/operations.ts';
import { Amount } from '../../components/amount.tsx';
import type { WaitingDecision, WaitingPayout } from '../../components/payouts/use-waiting-payouts.ts';
import { grouped } from '../../grouped.ts';
import { useSession } from '../../session.ts';

/** What leaves by a decision, each coin of a batch by itself. */
export function DecisionAmount({ decision: { first, payouts } }: { readonly decision: WaitingDecision }): ReactNode {
  if (payouts.length === 1) return <PayoutAmount payout={first} />;
  return sumsOf(payouts).map((payout) => (
    <span key={`${payout.currency} ${payout.network}`} className="below">
      <PayoutAmount payout={payout} />
    </span>
  ));
}

type Withdrawal = Extract<WaitingPayout, { readonly __typename: 'Withdrawal' }>;

/** One withdrawal for each coin, with what all of them come to. */
function sumsOf(payouts: readonly WaitingPayout[]): Withdrawal[] {
  const withdrawals = payouts.filter((payout) => payout.__typename === 'Withdrawal');
  return [...grouped(withdrawals, ({ currency, network }) => `${currency} ${network}`).values()].map((group) =>
    group.reduce((all, one) => ({
      ...all,
      ...{ amount: sum(all.amount, one.amount), networkFee: sum(all.networkFee, one.networkFee) },
    })),
  );
}

export function PayoutAmount({ payout }: { readonly payout: WaitingPayout }): ReactNode {
  if (payout.__typename === 'Refund') return <RefundAmount amount={payout.amount} paymentId={payout.paymentId} />;
  const { amount, networkFee, currency, network } = payout;
  return (
    <span>
      <Amount value={amount} currency={currency} network={network} />
      {!isZero(networkFee) && <span className="quietly"> + {written(networkFee, currency)} fee</span>}
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
