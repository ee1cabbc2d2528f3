// The book of addresses that payouts may go to: those in it, and the ways to add and to remove one.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { networkName } from '../networks.ts';
import {
  AddPayoutAddressDocument,
  AssetsDocument,
  PayoutAddressesDocument,
  RemovePayoutAddressDocument,
  type PayoutAddressRowFragment,
} from '../generated/operations.ts';
import { announce } from '../components/announcer.tsx';
import { Status } from '../components/badge.tsx';
import { Copy } from '../components/copy.tsx';
import { Button } from '../components/forms/button.tsx';
import { useConfirmedMutation } from '../components/forms/confirmation-question.tsx';
import { Field } from '../components/forms/field.tsx';
import { OperationForm, textOf } from '../components/forms/operation-form.tsx';
import { Select } from '../components/forms/select.tsx';
import { useRefreshOnReturn } from '../components/hooks/use-pages.ts';
import { usePolling } from '../components/hooks/use-polling.ts';
import { May } from '../components/may.tsx';
import { Confirm } from '../components/overlays/confirm.tsx';
import { Popup } from '../components/overlays/popup.tsx';
import { Sheet } from '../components/overlays/sheet.tsx';
import { useRecipientCheck } from '../components/payouts/use-recipient-check.ts';
import { PageActions } from '../components/page-head.tsx';
import { SectionLinks } from '../components/section-links.tsx';
import { Empty, Loading, Problem } from '../components/states.tsx';
import { Table, type Column } from '../components/table.tsx';
import { Time } from '../components/time.tsx';
import { useSession } from '../session.ts';

/** While one waits: it becomes usable by the clock alone. */
const LOOK_EVERY_MS = 15_000;

export default function PayoutAddresses(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: PayoutAddressesDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [isAdding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<PayoutAddressRowFragment | null>(null);
  const book = data?.payoutAddresses;
  usePolling(book?.some(({ status }) => status === 'WAITING') === true, refresh, LOOK_EVERY_MS);
  return (
    <>
      <SectionLinks section="Balances" />
      <PageActions>
        <May permissions={['MANAGE_ADDRESSES']}>
          <Button onPress={() => setAdding(true)}>Add an address</Button>
        </May>
      </PageActions>
      <Sheet title="Address book">
        {error && <Problem error={error} onRetry={refresh} />}
        {!book && !error && <Loading lines={5} />}
        {book && <Book book={book} onRemove={setRemoving} />}
      </Sheet>
      <Popup title="Add an address" isOpen={isAdding} onClose={() => setAdding(false)}>
        <AddForm onClose={() => setAdding(false)} onAdded={refresh} />
      </Popup>
      <Remove entry={removing} onClose={() => setRemoving(null)} onRemoved={refresh} />
    </>
  );
}

interface BookProps {
  readonly book: readonly PayoutAddressRowFragment[];
  readonly onRemove: (entry: PayoutAddressRowFragment) => void;
}

function Book({ book, onRemove }: BookProps): ReactNode {
  const { may } = useSession();
  if (book.length === 0)
    return (
      <Empty title="No addresses yet.">
        <p>Choose its addresses by name when you withdraw. The policy can restrict withdrawals to them.</p>
      </Empty>
    );
  const columns = may('MANAGE_ADDRESSES') ? [...COLUMNS, actionsOf(onRemove)] : COLUMNS;
  return <Table label="Address book" rows={book} keyOf={({ id }) => id} columns={columns} />;
}

const COLUMNS: readonly Column<PayoutAddressRowFragment>[] = [
  { title: 'Name', phone: 'first', cell: ({ label }) => <strong className="long">{label}</strong> },
  { title: 'Network', phone: 'second', cell: ({ network }) => networkName(network) },
  { title: 'Address', phone: 'second', cell: ({ address }) => <Copy value={address} label="address" isShort /> },
  {
    title: 'Status',
    phone: 'first-end',
    cell: ({ status, usableAt }) => (
      <span>
        <Status status={status} />
        {status === 'WAITING' && (
          <span className="quietly below">
            until <Time value={usableAt} isExact />
          </span>
        )}
      </span>
    ),
  },
  { title: 'Added', phone: 'off', cell: ({ createdAt }) => <Time value={createdAt} /> },
];

const actionsOf = (onRemove: BookProps['onRemove']): Column<PayoutAddressRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (entry) => (
    <Button look="link" aria-label={`Remove ${entry.label}`} onPress={() => onRemove(entry)}>
      Remove
    </Button>
  ),
});

interface AddFormProps {
  readonly onClose: () => void;
  readonly onAdded: () => void;
}

function AddForm({ onClose, onAdded }: AddFormProps): ReactNode {
  const [, add] = useConfirmedMutation(AddPayoutAddressDocument);
  const check = useRecipientCheck();
  const [{ data, error }] = useQuery({ query: AssetsDocument });
  if (error) return <Problem error={error} />;
  if (!data) return <Loading lines={4} />;
  const networks = [...new Set(data.currencies.filter(({ available }) => available).map(({ network }) => network))];
  return (
    <OperationForm
      action="Add it"
      onCancel={onClose}
      onSubmit={async (form) => {
        const [network, address] = [textOf(form, 'network'), textOf(form, 'address')];
        const fault = await check(network, address);
        if (fault) return { error: fault };
        const outcome = await add({ network, address, label: textOf(form, 'label') });
        if (outcome.data) {
          onClose();
          onAdded();
          announce('The address is added');
        }
        return outcome;
      }}
    >
      <Field
        label="Name"
        name="label"
        hint="Such as your bank’s or your exchange’s."
        maxLength={100}
        isRequired
        autoFocus
      />
      <Select label="Network" name="network" options={networks.map((network) => [network, networkName(network)])} />
      <Field
        label="Address"
        name="address"
        autoComplete="off"
        spellCheck="false"
        hint="Check every character: a transfer cannot be reversed."
        isRequired
      />
    </OperationForm>
  );
}

interface RemoveProps {
  readonly entry: PayoutAddressRowFragment | null;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Remove({ entry, onClose, onRemoved }: RemoveProps): ReactNode {
  const [, remove] = useMutation(RemovePayoutAddressDocument);
  return (
    <Confirm
      title={`Remove ${entry?.label ?? ''}?`}
      action="Remove it"
      refusal="Keep it"
      isDanger
      isOpen={entry !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: entry?.id ?? '' });
        if (outcome.data) {
          onRemoved();
          announce('The address is removed');
        }
        return outcome;
      }}
    >
      <p>It takes effect immediately. If you add the address again, its waiting period starts again.</p>
    </Confirm>
  );
}
