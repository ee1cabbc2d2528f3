// What the wallet holds, asset by asset.

import type { ReactNode } from 'react';
import { compareAmounts } from '../../amounts.ts';
import { Amount } from '../../components/amount.tsx';
import { Empty } from '../../components/states.tsx';
import type { BalancesQuery } from '../../generated/operations.ts';
import { networkName } from '../../networks.ts';

export function Balances({ rows }: { rows: BalancesQuery['walletBalances'] }): ReactNode {
  if (rows.length === 0) return <Empty title="The wallet is empty.">What your customers pay is kept here.</Empty>;
  return (
    <dl className="balances">
      {rows.map(({ currency, network, available, pending }) => (
        <div key={`${currency}/${network}`}>
          <dt>
            {currency} on {networkName(network)}
          </dt>
          <dd>
            <Amount value={available} currency={currency} />
            {compareAmounts(pending, '0') > 0 && (
              <small>
                {' '}
                and <Amount value={pending} currency={currency} /> confirming
              </small>
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
