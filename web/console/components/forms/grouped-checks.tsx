// Many checkboxes in groups, each under a box that chooses all or none of it and says how many are chosen.

import { useState, type ReactNode } from 'react';
import { Checkbox, CheckboxGroup, CheckboxGroupStateContext, FieldError, Label } from 'react-aria-components';
import { Check } from './checks.tsx';

interface Group {
  /** What is in it, such as "Payments". */
  readonly title: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

interface GroupedChecksProps {
  readonly label: string;
  readonly name: string;
  readonly groups: readonly Group[];
  readonly defaultValue: readonly string[];
  readonly isRequired?: boolean;
}

export function GroupedChecks({
  label,
  name,
  groups,
  defaultValue,
  isRequired = false,
}: GroupedChecksProps): ReactNode {
  const [chosen, setChosen] = useState<string[]>([...defaultValue]);
  return (
    <CheckboxGroup className="field checks" name={name} value={chosen} onChange={setChosen} isRequired={isRequired}>
      <Label>{label}</Label>
      {groups.map((group) => (
        <div key={group.title} className="check-group" role="group" aria-label={group.title}>
          <WholeGroup group={group} chosen={chosen} onChange={setChosen} />
          <div className="members">
            {group.options.map(([value, words]) => (
              <Check key={value} value={value} words={words} />
            ))}
          </div>
        </div>
      ))}
      <FieldError className="fault" />
    </CheckboxGroup>
  );
}

interface WholeGroupProps {
  readonly group: Group;
  readonly chosen: readonly string[];
  readonly onChange: (chosen: string[]) => void;
}

function WholeGroup({ group: { title, options }, chosen, onChange }: WholeGroupProps): ReactNode {
  const values = options.map(([value]) => value);
  const count = values.filter((value) => chosen.includes(value)).length;
  const others = chosen.filter((value) => !values.includes(value));
  return (
    // It is not one of the group's own boxes, and no value of the form.
    <CheckboxGroupStateContext value={null}>
      <Checkbox
        className="check whole-group"
        isSelected={count === values.length}
        isIndeterminate={count > 0 && count < values.length}
        onChange={(isSelected) => onChange(isSelected ? [...others, ...values] : others)}
      >
        <span className="box" aria-hidden="true" />
        <span>
          <span className="unseen">All of </span>
          {title}{' '}
          <span className="hint">
            {count} of {values.length}
          </span>
        </span>
      </Checkbox>
    </CheckboxGroupStateContext>
  );
}
