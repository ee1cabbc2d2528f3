// How much waits behind the links of the navigation: asked for in one question, for all of them and wherever they are
// drawn.

import { createContext, useCallback, useContext, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { counted } from '../../amounts.ts';
import { useChanges } from '../hooks/use-changes.ts';
import { useHidden } from '../hooks/use-hidden.ts';
import { useRefreshOnReturn } from '../hooks/use-pages.ts';
import { usePolling } from '../hooks/use-polling.ts';
import { useThrottled } from '../hooks/use-throttled.ts';
import {
  NavigationCountsDocument,
  PaymentChangesDocument,
  PayoutChangesDocument,
  type NavigationCountsQuery,
} from '../../generated/operations.ts';
import { useSession } from '../../session.ts';

/** By themselves they are asked for as often; and for changes of payments, which may be many, no more often. */
const EVERY_MS = 30_000;

interface Counts {
  readonly open: number;
  readonly failing: number;
  readonly waiting: number;
}

export type FailingEndpoint = NonNullable<NavigationCountsQuery['webhookEndpoints']>[number];

const Known = createContext<Counts & { readonly endpoints: readonly FailingEndpoint[] }>({
  open: 0,
  failing: 0,
  waiting: 0,
  endpoints: [],
});

/** Asks for them as long as the tab is in sight, and gives them to the counts in what it surrounds. */
export function NavigationCounts({ children }: { readonly children: ReactNode }): ReactNode {
  const { may } = useSession();
  const isHidden = useHidden();
  const variables = {
    payments: may('READ_PAYMENTS'),
    endpoints: may('MANAGE_WEBHOOKS'),
    payouts: may('APPROVE_PAYOUTS'),
  };
  const isNothing = !Object.values(variables).includes(true);
  const [{ data }, reload] = useQuery({ query: NavigationCountsDocument, variables, pause: isNothing });
  const ask = useCallback(() => {
    if (!isNothing && document.visibilityState === 'visible') reload({ requestPolicy: 'network-only' });
  }, [isNothing, reload]);
  useRefreshOnReturn(ask);
  usePolling(!isNothing, ask, EVERY_MS);
  const onPayment = useThrottled(ask, EVERY_MS);
  const onPayout = useThrottled(ask);
  useChanges(PaymentChangesDocument, {}, onPayment, !variables.payments || isHidden);
  // Few, and somebody may be waiting for what another decides.
  useChanges(PayoutChangesDocument, {}, onPayout, !variables.payouts || !may('WITHDRAW') || isHidden);
  return <Known value={countsIn(data)}>{children}</Known>;
}

/** Payouts of one batch are one decision. An endpoint that the gateway has switched off fails as well. */
function countsIn(data: NavigationCountsQuery | undefined) {
  const payouts = data?.payoutsAwaitingApproval ?? [];
  const endpoints = (data?.webhookEndpoints ?? []).filter(({ enabled, disabledReason, failingSince }) =>
    enabled ? failingSince !== null : disabledReason !== null,
  );
  const wholes = payouts.map((one) => (one.__typename === 'Withdrawal' ? one.batchId : null) ?? one.id);
  return {
    open: data?.paymentCounts?.open ?? 0,
    failing: endpoints.length,
    waiting: new Set(wholes).size,
    endpoints,
  };
}

/** A count beside a link, which is a part of the link's name; nothing at 0. */
const countOf = (what: keyof Counts) =>
  function Count(): ReactNode {
    const count = useContext(Known)[what];
    return (
      count > 0 && (
        <span className="count">
          {counted(count)}
          <span className="unseen"> {what}</span>
        </span>
      )
    );
  };

/** The endpoints that are counted as failing, as the same question was answered. */
export const useFailingEndpoints = (): readonly FailingEndpoint[] => useContext(Known).endpoints;

export const OpenPayments = countOf('open');
export const FailingEndpoints = countOf('failing');
export const WaitingPayouts = countOf('waiting');
