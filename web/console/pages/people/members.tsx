// The members of the merchant: who they are, what they may do, and the ways to change or remove them.

import { useState, type ReactNode } from 'react';
import { lackedFor } from '../../../../src/values/member-permission.ts';
import {
  ChangeMemberDocument,
  RemoveMemberDocument,
  type CustomRoleRowFragment,
  type MemberRowFragment,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Check } from '../../components/forms/checks.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { nameOfRole } from '../../role-names.ts';
import { useSession } from '../../session.ts';
import { RoleChoice, roleIn, valueOfRole } from './role-choice.tsx';
import { Email } from '../../components/lists/email.tsx';

interface MembersProps {
  readonly members: readonly MemberRowFragment[];
  readonly customRoles: readonly CustomRoleRowFragment[];
  readonly onChanged: () => void;
}

export function Members({ members, customRoles, onChanged }: MembersProps): ReactNode {
  const [changing, setChanging] = useState<MemberRowFragment | null>(null);
  const [removing, setRemoving] = useState<MemberRowFragment | null>(null);
  const { person, role } = useSession();
  // Nobody changes those who may do what they may not do themselves.
  const mayTouch = (member: MemberRowFragment) =>
    lackedFor(role, { role: member.role, custom: member.customRole?.permissions ?? null }) === null;
  const columns = columnsOf({ ownId: person.id, mayTouch, onChange: setChanging, onRemove: setRemoving });
  return (
    <Sheet title="Members">
      <Table label="Members" rows={members} keyOf={({ id }) => id} columns={columns} />
      <Popup title="Change the role" isOpen={changing !== null} onClose={() => setChanging(null)}>
        {changing && (
          <ChangeRole
            member={changing}
            customRoles={customRoles}
            onClose={() => setChanging(null)}
            onChanged={onChanged}
          />
        )}
      </Popup>
      <Remove member={removing} onClose={() => setRemoving(null)} onRemoved={onChanged} />
    </Sheet>
  );
}

interface ColumnParts {
  readonly ownId: string;
  readonly mayTouch: (member: MemberRowFragment) => boolean;
  readonly onChange: (member: MemberRowFragment) => void;
  readonly onRemove: (member: MemberRowFragment) => void;
}

const columnsOf = ({ ownId, mayTouch, onChange, onRemove }: ColumnParts): readonly Column<MemberRowFragment>[] => [
  {
    title: 'Member',
    phone: 'first',
    cell: ({ id, name, email }) => (
      <span className="long">
        {name || <Email address={email} />} {id === ownId && <Badge tone="good">You</Badge>}
        {name !== '' && (
          <span className="quietly below">
            <Email address={email} />
          </span>
        )}
      </span>
    ),
  },
  { title: 'Role', phone: 'first-end', cell: ({ role, customRole }) => customRole?.name ?? nameOfRole(role) },
  {
    title: 'Second factor',
    cell: ({ secondFactor }) => (secondFactor ? 'On' : <span className="quietly">Off</span>),
  },
  { title: 'Joined', phone: 'off', cell: ({ createdAt }) => <Time value={createdAt} /> },
  {
    title: 'Actions',
    isUntitled: true,
    cell: (member) =>
      mayTouch(member) && (
        <span className="actions">
          <Button
            look="link"
            aria-label={`Change the role of ${member.name || member.email}`}
            onPress={() => onChange(member)}
          >
            Change
          </Button>
          <Button look="link" aria-label={`Remove ${member.name || member.email}`} onPress={() => onRemove(member)}>
            Remove
          </Button>
        </span>
      ),
  },
];

interface ChangeRoleProps {
  readonly member: MemberRowFragment;
  readonly customRoles: readonly CustomRoleRowFragment[];
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function ChangeRole({ member, customRoles, onClose, onChanged }: ChangeRoleProps): ReactNode {
  const [, change] = useConfirmedMutation(ChangeMemberDocument);
  const { id, email, role, customRole } = member;
  return (
    <OperationForm
      action="Save"
      onCancel={onClose}
      onSubmit={async (data) => {
        const outcome = await change({ id, ...roleIn(textOf(data, 'role')) });
        if (outcome.data) {
          onClose();
          onChanged();
          announce('The role is changed');
        }
        return outcome;
      }}
    >
      <p>
        What <strong>{email}</strong> can do changes within a second, in all their sessions.
      </p>
      <RoleChoice customRoles={customRoles} defaultValue={valueOfRole(role, customRole?.id)} />
    </OperationForm>
  );
}

interface RemoveProps {
  readonly member: MemberRowFragment | null;
  readonly onClose: () => void;
  readonly onRemoved: () => void;
}

function Remove({ member, onClose, onRemoved }: RemoveProps): ReactNode {
  const [, remove] = useConfirmedMutation(RemoveMemberDocument);
  const [revokeKeys, setRevokeKeys] = useState(false);
  return (
    <Confirm
      title={`Remove ${member?.name || (member?.email ?? '')}?`}
      action="Remove"
      isDanger
      isOpen={member !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: member?.id ?? '', revokeKeys });
        if (outcome.data) {
          onRemoved();
          announce('The member is removed');
        }
        return outcome;
      }}
    >
      <p>
        They are signed out of this account within a second. API keys that they created keep working unless you revoke
        them too.
      </p>
      <Check words="Also revoke the API keys that they created" defaultSelected={false} onChange={setRevokeKeys} />
    </Confirm>
  );
}
