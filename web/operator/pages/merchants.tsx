// The merchants: found by name or e-mail, invited, suspended and restored.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { Amount } from '../../console/components/amount.tsx';
import { announce } from '../../console/components/announcer.tsx';
import { Badge } from '../../console/components/badge.tsx';
import { Copy } from '../../console/components/copy.tsx';
import { Button } from '../../console/components/forms/button.tsx';
import { Field } from '../../console/components/forms/field.tsx';
import { textOf } from '../../console/components/forms/operation-form.tsx';
import { useChoices } from '../../console/components/hooks/use-choices.ts';
import { usePages } from '../../console/components/hooks/use-pages.ts';
import { Filters } from '../../console/components/lists/filters.tsx';
import { inForce, ofText } from '../../console/components/lists/in-force.ts';
import { Confirm } from '../../console/components/overlays/confirm.tsx';
import { Sheet } from '../../console/components/overlays/sheet.tsx';
import { Empty, Loading, Problem } from '../../console/components/states.tsx';
import { Table, type Column } from '../../console/components/table.tsx';
import { Time } from '../../console/components/time.tsx';
import { isZero } from '../../console/amounts.ts';
import { networkName } from '../../console/networks.ts';
import { isRegistrationClosed } from '../../console/registration.ts';
import {
  InviteMerchantDocument,
  OperatorMerchantsDocument,
  RestoreMerchantDocument,
  SuspendMerchantDocument,
  type MerchantRowFragment,
} from '../generated/operations.ts';
import { ReasonQuestion } from '../reason-question.tsx';

export default function Merchants(): ReactNode {
  const choices = useChoices();
  const search = choices.parameters.get('search');
  const [isInviting, setInviting] = useState(false);
  const [suspending, setSuspending] = useState<MerchantRowFragment | null>(null);
  const [restoring, setRestoring] = useState<MerchantRowFragment | null>(null);
  const { nodes, error, loadMore, isLoadingMore, refresh } = usePages({
    query: OperatorMerchantsDocument,
    variables: search === null ? {} : { search },
    read: (data) => data.operatorMerchants,
    keyOf: ({ id }: MerchantRowFragment) => id,
  });
  return (
    <>
      <Filters
        search="ID, company or e-mail"
        inForce={inForce(choices.parameters, { search: ofText('Search') })}
        {...choices}
      />
      <Sheet
        title="Merchants"
        actions={
          !isRegistrationClosed && (
            <Button look="quiet" onPress={() => setInviting(true)}>
              Invite a merchant
            </Button>
          )
        }
      >
        {error && <Problem error={error} onRetry={refresh} />}
        {!nodes && !error && <Loading lines={6} />}
        {nodes?.length === 0 && <Empty title={search === null ? 'No merchants yet.' : 'No merchants match.'} />}
        {nodes && nodes.length > 0 && (
          <Table
            label="Merchants"
            rows={nodes}
            keyOf={({ id }) => id}
            columns={[...COLUMNS, actionsOf(setSuspending, setRestoring)]}
            onMore={loadMore}
            isLoadingMore={isLoadingMore}
          />
        )}
      </Sheet>
      <Invite isOpen={isInviting} onClose={() => setInviting(false)} />
      <Suspend merchant={suspending} onClose={() => setSuspending(null)} onDone={refresh} />
      <Restore merchant={restoring} onClose={() => setRestoring(null)} onDone={refresh} />
    </>
  );
}

const COLUMNS: readonly Column<MerchantRowFragment>[] = [
  {
    title: 'Company',
    phone: 'first',
    cell: ({ companyName, id }) => (
      <span>
        <strong className="long below">{companyName}</strong>
        <Copy value={id} label="merchant id" isShort />
      </span>
    ),
  },
  { title: 'E-mail', phone: 'second', cell: ({ email }) => <span className="long">{email}</span> },
  { title: 'Created', phone: 'off', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: 'Available',
    isNumber: true,
    cell: ({ balances }) => {
      const held = balances.filter(({ available }) => !isZero(available));
      if (held.length === 0) return <span className="quietly">nothing</span>;
      return held.map(({ currency, network, available }) => (
        <span key={`${currency} ${network}`} className="below">
          <Amount value={available} currency={currency} /> <span className="quietly">on {networkName(network)}</span>
        </span>
      ));
    },
  },
  {
    title: 'Status',
    phone: 'first-end',
    cell: ({ suspendedAt, suspendReason }) =>
      suspendedAt == null ? (
        <Badge tone="good">Active</Badge>
      ) : (
        <span>
          <Badge tone="bad">Suspended</Badge>
          <span className="quietly below">
            <Time value={suspendedAt} isExact />: {suspendReason}
          </span>
        </span>
      ),
  },
];

type Choose = (merchant: MerchantRowFragment) => void;

const actionsOf = (onSuspend: Choose, onRestore: Choose): Column<MerchantRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (merchant) =>
    merchant.suspendedAt == null ? (
      <Button look="link" aria-label={`Suspend ${merchant.companyName}`} onPress={() => onSuspend(merchant)}>
        Suspend
      </Button>
    ) : (
      <Button look="link" aria-label={`Restore ${merchant.companyName}`} onPress={() => onRestore(merchant)}>
        Restore
      </Button>
    ),
});

function Invite({ isOpen, onClose }: { readonly isOpen: boolean; readonly onClose: () => void }): ReactNode {
  const [, invite] = useMutation(InviteMerchantDocument);
  return (
    <Confirm
      title="Invite a merchant"
      action="Invite"
      needsProof
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async (form) => {
        const outcome = await invite({ email: textOf(form, 'email') });
        if (outcome.data) announce('The invitation is on its way');
        return outcome;
      }}
    >
      <p>
        They get a mail with a link to register a company, which works for seven days. An earlier link stops working.
      </p>
      <Field label="E-mail" name="email" type="email" autoComplete="off" isRequired autoFocus />
    </Confirm>
  );
}

interface QuestionProps {
  readonly merchant: MerchantRowFragment | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function Suspend({ merchant, onClose, onDone }: QuestionProps): ReactNode {
  const [, suspend] = useMutation(SuspendMerchantDocument);
  return (
    <ReasonQuestion
      title={`Suspend ${merchant?.companyName ?? ''}?`}
      action="Suspend"
      isDanger
      isOpen={merchant !== null}
      onClose={onClose}
      onConfirm={async (reason) => {
        const outcome = await suspend({ id: merchant?.id ?? '', reason });
        if (outcome.data) {
          onDone();
          announce('The merchant is suspended');
        }
        return outcome;
      }}
    >
      <p>
        They can create and change nothing until you restore them. Their payment pages are closed, and their payouts
        wait. Payments under way are still watched, credited and notified.
      </p>
    </ReasonQuestion>
  );
}

function Restore({ merchant, onClose, onDone }: QuestionProps): ReactNode {
  const [, restore] = useMutation(RestoreMerchantDocument);
  return (
    <Confirm
      title={`Restore ${merchant?.companyName ?? ''}?`}
      action="Restore"
      refusal="Cancel"
      needsProof
      isOpen={merchant !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await restore({ id: merchant?.id ?? '' });
        if (outcome.data) {
          onDone();
          announce('The merchant is restored');
        }
        return outcome;
      }}
    >
      <p>Waiting payouts continue, and everything works as before.</p>
    </Confirm>
  );
}
