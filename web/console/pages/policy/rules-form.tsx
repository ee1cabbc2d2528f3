// The rules of the policy that are on or off.

import type { ReactNode } from 'react';
import type { PayoutRuleSetFragment } from '../../generated/operations.ts';
import { Checks } from '../../components/forms/checks.tsx';
import { OperationForm } from '../../components/forms/operation-form.tsx';
import { usePolicyChange, type PolicyChange } from './use-policy-change.ts';
import { RULES } from './words.ts';

interface RulesFormProps {
  readonly rules: PayoutRuleSetFragment;
  readonly change: PolicyChange;
  readonly warning: ReactNode;
  readonly onCancel: () => void;
}

/** Only what is changed is sent: the rest may be on its way to change. */
export function RulesForm({ rules, change, warning, onCancel }: RulesFormProps): ReactNode {
  const save = usePolicyChange(change);
  return (
    <OperationForm
      action="Save the rules"
      onCancel={onCancel}
      onSubmit={async (form) => {
        const chosen = form.getAll('rules');
        const changed = RULES.map(([rule]) => [rule, chosen.includes(rule)] as const).filter(
          ([rule, isOn]) => rules[rule] !== isOn,
        );
        if (changed.length > 0) return save(Object.fromEntries(changed));
        onCancel();
        return {};
      }}
    >
      {warning}
      <Checks
        label="Rules"
        name="rules"
        options={RULES}
        defaultValue={RULES.filter(([rule]) => rules[rule]).map(([rule]) => rule)}
        hint="Tighter rules take effect immediately; looser ones may have to wait."
      />
    </OperationForm>
  );
}
