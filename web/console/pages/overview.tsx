// How business goes: what there is in the wallet.

import type { ReactNode } from 'react';
import { useQuery } from 'urql';
import { messageOf } from '../errors.ts';
import { BalancesDocument } from '../operations.ts';

export default function Overview(): ReactNode {
  const [{ data, error }] = useQuery({ query: BalancesDocument });
  if (error) return <p role="alert">{messageOf(error)}</p>;
  if (!data) return <p role="status">Loading</p>;
  if (data.walletBalances.length === 0) return <p>Nothing has been paid yet.</p>;
  return (
    <section aria-labelledby="balances">
      <h2 id="balances">Balances</h2>
      <dl className="balances">
        {data.walletBalances.map(({ currency, network, available }) => (
          <div key={`${currency}/${network}`}>
            <dt>
              {currency} on {network}
            </dt>
            <dd>{available}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
