// Moves a price in the sandbox, for this merchant alone, so that a tester sees what falling and missing rates do.

import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { readable } from '../../amounts.ts';
import { AssetsDocument, SetSandboxRateDocument, type SetSandboxRateMutation } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Select } from '../../components/forms/select.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Loading } from '../../components/states.tsx';

type Moved = SetSandboxRateMutation['setSandboxRate'];

const MOVES = [
  ['PRICE', 'Set a price'],
  ['NONE', 'No rate'],
  ['DEFAULT', 'Reset to the sandbox’s price'],
] as const;

interface SandboxRateProps {
  /** The currency of the rates above: its price can be moved as well. */
  readonly currency: string;
  readonly onMoved: () => void;
}

export function SandboxRate({ currency, onMoved }: SandboxRateProps): ReactNode {
  const [{ data }] = useQuery({ query: AssetsDocument });
  const [, set] = useMutation(SetSandboxRateDocument);
  const [move, setMove] = useState('PRICE');
  const coins = data?.currencies.filter(({ available }) => available).map((asset) => asset.currency);
  // All prices are in dollars, so the dollar's own does not move.
  const codes = coins && [...new Set([...coins, currency])].filter((code) => code !== 'USD');
  const save = async (form: FormData) => {
    const usd = { PRICE: { usd: textOf(form, 'usd') }, NONE: { usd: null }, DEFAULT: {} }[move];
    const outcome = await set({ input: { code: textOf(form, 'code'), ...usd } });
    if (outcome.data) {
      announce(wordsOf(outcome.data.setSandboxRate));
      onMoved();
    }
    return outcome;
  };
  return (
    <Sheet title="Move a price (sandbox)">
      {!codes && <Loading />}
      {codes && (
        <OperationForm action="Move the price" onSubmit={save}>
          <p className="hint">
            Rates, new quotes and new receipts of your account use it from now on. Other accounts and existing quotes
            are not affected.
          </p>
          <div className="pair">
            <Select
              label="Price of"
              name="code"
              options={codes.map((code) => [code, code])}
              hint="A coin, or the currency of the rates above."
            />
            <Select label="Move it" options={MOVES} value={move} onChange={setMove} />
            {move === 'PRICE' && (
              <Field
                label="US dollars for one"
                name="usd"
                inputMode="decimal"
                autoComplete="off"
                hint="Such as 2850"
                isRequired
              />
            )}
          </div>
        </OperationForm>
      )}
    </Sheet>
  );
}

const wordsOf = ({ asset, currency, rate }: Moved) =>
  rate ? `1 ${asset} is ${readable(rate)} ${currency} for you now` : `${asset} has no rate for you now`;
