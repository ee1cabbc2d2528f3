// The rates of all coins in one currency as a quote would take them now, with how good and how old they are.

import type { ReactNode } from 'react';
import type { CombinedError } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { PRICE_OPTIONS } from '../../currencies.ts';
import type { RatesQuery, RateState } from '../../generated/operations.ts';
import { Age } from '../../components/age.tsx';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { RateFigure } from '../../components/rate.tsx';

type Row = RatesQuery['rates'][number];

interface RateTableProps {
  readonly currency: string;
  readonly onCurrency: (code: string) => void;
  /** Undefined until they are there; those of the currency before, while another's are asked for. */
  readonly rates: readonly Row[] | undefined;
  readonly error: CombinedError | undefined;
  readonly onRetry: () => void;
}

export function RateTable({ currency, onCurrency, rates, error, onRetry }: RateTableProps): ReactNode {
  const isUnquoted = errorCodeOf(error) === '3008';
  const rows = rates?.every((rate) => rate.currency === currency) ? rates : undefined;
  const isListed = PRICE_OPTIONS.some(([code]) => code === currency);
  return (
    <Sheet title="Rates now">
      <div className="filters">
        <Select
          label="Currency"
          options={isListed ? PRICE_OPTIONS : [...PRICE_OPTIONS, [currency, currency]]}
          value={currency}
          onChange={onCurrency}
        />
      </div>
      {isUnquoted && (
        <Empty title={`No rates in ${currency}.`}>
          <p>Choose another currency, or fix rates in {currency} below.</p>
        </Empty>
      )}
      {error && !isUnquoted && <Problem error={error} onRetry={onRetry} />}
      {!rows && !error && <Loading lines={5} />}
      {rows?.length === 0 && <Empty title="This gateway accepts no coins right now." />}
      {rows && rows.length > 0 && (
        <>
          <Table label={`Rates in ${currency}`} rows={rows} keyOf={({ asset }) => asset} columns={COLUMNS} />
          <p className="hint">
            Price of one coin in {currency}. Payers get the quoted rate: the market rate less your spread. Updated every
            30 seconds.
          </p>
        </>
      )}
    </Sheet>
  );
}

const STATES: Readonly<Record<RateState, readonly [tone: Tone, words: string, meaning: string]>> = {
  FRESH: ['good', 'Fresh', 'current'],
  HELD: ['busy', 'Held', 'last known rate, for a few minutes'],
  FIXED: ['calm', 'Fixed', 'set by you, no spread'],
  NONE: ['bad', 'No rate', 'payers cannot choose this coin'],
};

const missing = (words: string) => <span className="quietly">{words}</span>;

function Sources({ rate: { state, sources } }: { readonly rate: Row }): ReactNode {
  if (state === 'FIXED') return missing('your fixed rate');
  if (state === 'NONE') return missing('–');
  return sources.length === 0 ? missing('not needed') : sources.join(', ');
}

const COLUMNS: readonly Column<Row>[] = [
  { title: 'Coin', cell: ({ asset }) => <strong>{asset}</strong> },
  {
    title: 'Market rate',
    isNumber: true,
    cell: ({ rate, state }) =>
      rate && state !== 'FIXED' ? <RateFigure rate={rate} /> : missing(rate ? 'not used' : 'none'),
  },
  {
    title: 'Quoted rate',
    isNumber: true,
    cell: ({ quotedRate }) => (quotedRate ? <RateFigure rate={quotedRate} /> : missing('–')),
  },
  {
    title: 'State',
    cell: ({ state }) => {
      const [tone, words, meaning] = STATES[state];
      return (
        <span>
          <Badge tone={tone}>{words}</Badge> <span className="quietly below">{meaning}</span>
        </span>
      );
    },
  },
  { title: 'Age', cell: ({ at }) => (at ? <Age since={at} /> : missing('–')) },
  { title: 'Sources', cell: (rate) => <Sources rate={rate} /> },
];
