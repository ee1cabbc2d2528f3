// The views of the list, side by side: those that everybody has, with how many payments are in each, and those that
// somebody keeps for themselves in this browser.

import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import { useQuery } from 'urql';
import { counted } from '../../amounts.ts';
import {
  PaymentCountsDocument,
  type PaymentCountsQuery,
  type PaymentFilter,
  type PaymentStatus,
} from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { useKeptViews, type KeptView } from './kept-views.ts';

type Count = keyof Omit<PaymentCountsQuery['paymentCounts'], '__typename'>;

interface View {
  readonly words: string;
  readonly count: Count;
  readonly filter: PaymentFilter;
}

const OPEN: readonly PaymentStatus[] = ['PENDING', 'PARTIALLY_PAID', 'CONFIRMING'];
const PAID: readonly PaymentStatus[] = ['SUCCEEDED', 'PARTIALLY_REFUNDED', 'REFUNDED'];
const UNPAID: readonly PaymentStatus[] = ['FAILED', 'EXPIRED', 'CANCELED'];

/** By the value of the parameter `view`. */
const VIEWS: Readonly<Record<string, View>> = {
  '': { words: 'All', count: 'all', filter: {} },
  open: { words: 'Open', count: 'open', filter: { status: [...OPEN] } },
  attention: { words: 'Needs attention', count: 'waiting', filter: { needsAttention: true } },
  paid: { words: 'Paid', count: 'paid', filter: { status: [...PAID] } },
  unpaid: { words: 'Ended unpaid', count: 'unpaid', filter: { status: [...UNPAID] } },
};

/** What the chosen view narrows the list to. */
export const filterOfView = (view: string | null): PaymentFilter => VIEWS[view ?? '']?.filter ?? {};

interface ViewsProps {
  readonly parameters: URLSearchParams;
  /** Changes whenever the counts are to be asked for anew. */
  readonly counts: PaymentCountsQuery['paymentCounts'] | undefined;
}

export function useCounts() {
  const [{ data }, reload] = useQuery({ query: PaymentCountsDocument });
  return { counts: data?.paymentCounts, reload: () => reload({ requestPolicy: 'network-only' }) };
}

export function Views({ parameters, counts }: ViewsProps): ReactNode {
  const { kept, keep, drop } = useKeptViews('payments');
  const here = queryOf(parameters);
  const own = kept.find(({ query }) => query === here);
  const isNarrowed = here !== '' && !/^view=\w+$/.test(here);
  return (
    <nav className="views" aria-label="Views">
      <ul>
        {Object.entries(VIEWS).map(([name, { words, count }]) => (
          <Tab key={name} query={name === '' ? '' : `view=${name}`} here={here}>
            {words}
            {counts && <span className="count">{counted(counts[count])}</span>}
          </Tab>
        ))}
        {kept.map(({ name, query }) => (
          <Tab key={`own ${name}`} query={query} here={here}>
            {name}
          </Tab>
        ))}
      </ul>
      {own && (
        <Button look="quiet" onPress={() => drop(own.name)}>
          Remove view
        </Button>
      )}
      {isNarrowed && !own && <SaveView query={here} names={kept.map(({ name }) => name)} onSave={keep} />}
    </nav>
  );
}

/** Without what only says which payment is looked at. */
function queryOf(parameters: URLSearchParams): string {
  const rest = new URLSearchParams(parameters);
  rest.delete('look');
  rest.sort();
  return rest.toString();
}

interface TabProps {
  readonly query: string;
  readonly here: string;
  readonly children: ReactNode;
}

function Tab({ query, here, children }: TabProps): ReactNode {
  return (
    <li>
      <Link
        href={query === '' ? '/payments' : `/payments?${query}`}
        {...(query === here && { 'aria-current': 'page' })}
      >
        {children}
      </Link>
    </li>
  );
}

interface SaveViewProps {
  readonly query: string;
  readonly names: readonly string[];
  readonly onSave: (view: KeptView) => void;
}

function SaveView({ query, names, onSave }: SaveViewProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button look="quiet" onPress={() => setOpen(true)}>
        Save view
      </Button>
      <Popup title="Save this view" isOpen={isOpen} onClose={() => setOpen(false)}>
        <form
          className="form"
          onSubmit={(event) => {
            event.preventDefault();
            const name = new FormData(event.currentTarget).get('name');
            if (typeof name !== 'string' || name.trim() === '') return;
            onSave({ name: name.trim(), query });
            setOpen(false);
          }}
        >
          <Field label="Name" name="name" maxLength={40} isRequired hint="It is kept in this browser." />
          {names.length > 0 && <p className="hint">A view of the same name is replaced.</p>}
          <Button type="submit">Save view</Button>
        </form>
      </Popup>
    </>
  );
}
