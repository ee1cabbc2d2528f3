// Settlement rules: what each pays out, where to and when; and the ways to add, change and delete one.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import {
  DeleteSettlementRuleDocument,
  SettlementRulesDocument,
  type SettlementRuleRowFragment,
} from '../../generated/operations.ts';
import { isZero } from '../../amounts.ts';
import { Amount } from '../../components/amount.tsx';
import { announce } from '../../components/announcer.tsx';
import { Badge, Status } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { inWords } from '../../components/forms/asset-checks.tsx';
import { Button } from '../../components/forms/button.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { useSession } from '../../session.ts';
import { RuleForm } from './rule-form.tsx';
import { keyOfAsset, timeOf } from './words.ts';

export default function Settlement(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: SettlementRulesDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const { may } = useSession();
  const mayChange = may('MANAGE_ADDRESSES') && may('WITHDRAW');
  const [editing, setEditing] = useState<SettlementRuleRowFragment | 'new' | null>(null);
  const [deleting, setDeleting] = useState<SettlementRuleRowFragment | null>(null);
  const close = () => setEditing(null);
  const rules = data?.settlementRules;
  const columns = mayChange ? [...COLUMNS, actionsOf({ onChange: setEditing, onDelete: setDeleting })] : COLUMNS;
  return (
    <>
      <SectionLinks section="Balances" />
      <PageActions>{mayChange && <Button onPress={() => setEditing('new')}>Add a rule</Button>}</PageActions>
      <Sheet title="Settlement rules">
        {error && <Problem error={error} onRetry={refresh} />}
        {!rules && !error && <Loading lines={4} />}
        {rules?.length === 0 && (
          <Empty title="No automatic payouts yet.">
            <p>A rule pays out a coin’s balance to a saved address, on a schedule or above a threshold.</p>
          </Empty>
        )}
        {rules && rules.length > 0 && (
          <Table label="Settlement rules" rows={rules} keyOf={({ id }) => id} columns={columns} />
        )}
      </Sheet>
      <Popup title={editing === 'new' ? 'Add a rule' : 'Change the rule'} isOpen={editing !== null} onClose={close}>
        {editing !== null && (
          <RuleForm
            changed={editing === 'new' ? null : editing}
            taken={new Set(rules?.map(keyOfAsset))}
            onClose={close}
            onSaved={() => {
              close();
              refresh();
              announce('The rule is saved');
            }}
          />
        )}
      </Popup>
      <Delete rule={deleting} onClose={() => setDeleting(null)} onDeleted={refresh} />
    </>
  );
}

const COLUMNS: readonly Column<SettlementRuleRowFragment>[] = [
  { title: 'Coin', cell: (rule) => <strong>{inWords(rule)}</strong> },
  {
    title: 'When',
    cell: (rule) => (
      <span>
        {timeOf(rule)}
        {!rule.enabled && (
          <span className="below">
            <Badge tone="calm">Disabled</Badge>
          </span>
        )}
      </span>
    ),
  },
  {
    title: 'Threshold',
    isNumber: true,
    cell: ({ threshold, keep, currency }) => (
      <span>
        <Amount value={threshold} currency={currency} />
        {!isZero(keep) && <span className="quietly below">{keep} stays</span>}
      </span>
    ),
  },
  {
    title: 'To',
    cell: ({ address: { label, address, status } }) => (
      <span>
        <strong className="long below">{label}</strong>
        <Copy value={address} label="address" isShort />
        {status !== 'ACTIVE' && (
          <span className="below">
            <Status status={status} />
          </span>
        )}
      </span>
    ),
  },
];

interface RuleActions {
  readonly onChange: (rule: SettlementRuleRowFragment) => void;
  readonly onDelete: (rule: SettlementRuleRowFragment) => void;
}

const actionsOf = ({ onChange, onDelete }: RuleActions): Column<SettlementRuleRowFragment> => ({
  title: 'Actions',
  isUntitled: true,
  cell: (rule) => (
    <span className="row-actions">
      <Button look="link" aria-label={`Change the rule of ${inWords(rule)}`} onPress={() => onChange(rule)}>
        Change
      </Button>
      <Button look="link" aria-label={`Delete the rule of ${inWords(rule)}`} onPress={() => onDelete(rule)}>
        Delete
      </Button>
    </span>
  ),
});

interface DeleteProps {
  readonly rule: SettlementRuleRowFragment | null;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function Delete({ rule, onClose, onDeleted }: DeleteProps): ReactNode {
  const [, remove] = useConfirmedMutation(DeleteSettlementRuleDocument);
  return (
    <Confirm
      title={`Delete the rule of ${rule ? inWords(rule) : ''}?`}
      action="Delete it"
      refusal="Keep it"
      isDanger
      isOpen={rule !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: rule?.id ?? '' });
        if (outcome.data) {
          onDeleted();
          announce('The rule is deleted');
        }
        return outcome;
      }}
    >
      <p>The balance stays until you withdraw it. Withdrawals already requested continue.</p>
    </Confirm>
  );
}
