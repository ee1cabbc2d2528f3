// The merchant's own roles: each a name for a set of permissions.

import { useState, type ReactNode } from 'react';
import { lackedFor, permissionsOf } from '../../../../src/values/member-permission.ts';
import {
  CreateRoleDocument,
  DeleteRoleDocument,
  UpdateRoleDocument,
  type CustomRoleRowFragment,
  type MemberPermission,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Checks } from '../../components/forms/checks.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { MEMBER_PERMISSIONS } from '../../permission-names.ts';
import { useSession } from '../../session.ts';

interface RolesProps {
  readonly roles: readonly CustomRoleRowFragment[];
  readonly onChanged: () => void;
}

export function Roles({ roles, onChanged }: RolesProps): ReactNode {
  const [editing, setEditing] = useState<CustomRoleRowFragment | 'new' | null>(null);
  const [deleting, setDeleting] = useState<CustomRoleRowFragment | null>(null);
  const { role: own } = useSession();
  const mayTouch = ({ permissions }: CustomRoleRowFragment) =>
    lackedFor(own, { role: 'CUSTOM', custom: permissions }) === null;
  const close = () => setEditing(null);
  return (
    <Sheet
      title="Custom roles"
      actions={
        <Button look="quiet" onPress={() => setEditing('new')}>
          New role
        </Button>
      }
    >
      {roles.length === 0 ? (
        <Empty title="No custom roles yet.">
          <p>Create one if the six roles do not fit.</p>
        </Empty>
      ) : (
        <Table
          label="Roles"
          rows={roles}
          keyOf={({ id }) => id}
          columns={columnsOf({ mayTouch, onChange: setEditing, onDelete: setDeleting })}
        />
      )}
      <Popup title={editing === 'new' ? 'New role' : 'Change the role'} isOpen={editing !== null} onClose={close}>
        {editing !== null && (
          <RoleForm role={editing === 'new' ? null : editing} onClose={close} onChanged={onChanged} />
        )}
      </Popup>
      <Delete role={deleting} onClose={() => setDeleting(null)} onDeleted={onChanged} />
    </Sheet>
  );
}

const WORDS = new Map(MEMBER_PERMISSIONS);

interface ColumnParts {
  readonly mayTouch: (role: CustomRoleRowFragment) => boolean;
  readonly onChange: (role: CustomRoleRowFragment) => void;
  readonly onDelete: (role: CustomRoleRowFragment) => void;
}

const columnsOf = ({ mayTouch, onChange, onDelete }: ColumnParts): readonly Column<CustomRoleRowFragment>[] => [
  { title: 'Name', cell: ({ name }) => <span className="long">{name}</span> },
  {
    title: 'Permissions',
    cell: ({ permissions }) => permissions.map((permission) => WORDS.get(permission) ?? permission).join(', '),
  },
  {
    title: 'Actions',
    isUntitled: true,
    cell: (role) =>
      mayTouch(role) && (
        <span className="actions">
          <Button look="link" aria-label={`Change the role ${role.name}`} onPress={() => onChange(role)}>
            Change
          </Button>
          <Button look="link" aria-label={`Delete the role ${role.name}`} onPress={() => onDelete(role)}>
            Delete
          </Button>
        </span>
      ),
  },
];

interface RoleFormProps {
  /** Null for a new one. */
  readonly role: CustomRoleRowFragment | null;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

function RoleForm({ role, onClose, onChanged }: RoleFormProps): ReactNode {
  const [, create] = useConfirmedMutation(CreateRoleDocument);
  const [, update] = useConfirmedMutation(UpdateRoleDocument);
  const { role: own } = useSession();
  const held = new Set(permissionsOf(own));
  return (
    <OperationForm
      action="Save"
      onCancel={onClose}
      onSubmit={async (data) => {
        const permissions = data.getAll('permissions') as MemberPermission[];
        const input = { name: textOf(data, 'name'), permissions };
        const outcome = role === null ? await create(input) : await update({ id: role.id, ...input });
        if (outcome.data) {
          onClose();
          onChanged();
          announce('The role is saved');
        }
        return outcome;
      }}
    >
      <Field label="Name" name="name" defaultValue={role?.name ?? ''} maxLength={100} isRequired autoFocus />
      <Checks
        label="Permissions"
        name="permissions"
        options={MEMBER_PERMISSIONS.filter(([permission]) => held.has(permission))}
        defaultValue={role?.permissions ?? ['READ_PAYMENTS']}
        isRequired
      />
    </OperationForm>
  );
}

interface DeleteProps {
  readonly role: CustomRoleRowFragment | null;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

function Delete({ role, onClose, onDeleted }: DeleteProps): ReactNode {
  const [, remove] = useConfirmedMutation(DeleteRoleDocument);
  return (
    <Confirm
      title={`Delete the role ${role?.name ?? ''}?`}
      action="Delete"
      isDanger
      isOpen={role !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: role?.id ?? '' });
        if (outcome.data) {
          onDeleted();
          announce('The role is deleted');
        }
        return outcome;
      }}
    >
      <p>A role in use cannot be deleted: give its members another one first.</p>
    </Confirm>
  );
}
