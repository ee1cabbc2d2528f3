// Rates: what coins cost now, what quotes take of that, rates of the merchant's own, and prices moved in the sandbox.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { isSandbox } from '../../networks.ts';
import { RatesDocument, RateSettingsDocument } from '../../generated/operations.ts';
import { SectionLinks } from '../../components/section-links.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { useChoices } from '../../components/hooks/use-choices.ts';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';
import { FixedRates } from './fixed-rates.tsx';
import { QuoteSettings } from './quote-settings.tsx';
import { RateTable } from './rate-table.tsx';
import { SandboxRate } from './sandbox-rate.tsx';

const EVERY_MS = 30_000;

/** Where the merchant's books have no currency, rates are shown in this one first. */
const USUAL_CURRENCY = 'EUR';

export default function Rates(): ReactNode {
  const { parameters, choose } = useChoices();
  const [{ data, error }, reload] = useQuery({ query: RateSettingsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const currency = parameters.get('currency')?.toUpperCase() ?? data?.settings.accountingCurrency ?? USUAL_CURRENCY;
  const [rates, reloadRates] = useQuery({ query: RatesDocument, variables: { currency }, pause: !data });
  const refreshRates = useCallback(() => reloadRates({ requestPolicy: 'network-only' }), [reloadRates]);
  const isKnown = data !== undefined;
  const [areShown, setShown] = useState(false);
  if (!areShown && (rates.data || rates.error)) setShown(true);
  const refreshKnown = useCallback(() => {
    if (isKnown) refreshRates();
  }, [isKnown, refreshRates]);
  useRefreshOnReturn(refreshKnown);
  usePolling(isKnown, refreshRates, EVERY_MS);
  return (
    <>
      <SectionLinks section="Settings" />
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={8} />}
      {data && (
        <>
          <RateTable
            currency={currency}
            onCurrency={(code) => choose('currency', code)}
            rates={rates.data?.rates}
            error={rates.error}
            onRetry={refreshRates}
          />
          {/* Not before the table, which would push them down. */}
          {areShown && (
            <>
              <QuoteSettings settings={data.settings} onSaved={refreshRates} />
              <FixedRates rates={data.settings.fixedRates} currency={currency} onSaved={refreshRates} />
              {isSandbox && <SandboxRate currency={currency} onMoved={refreshRates} />}
            </>
          )}
        </>
      )}
    </>
  );
}
