// Invitations that nobody has accepted yet.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { RevokeInvitationDocument, type InvitationRowFragment } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { Empty, Problem } from '../../components/states.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { nameOfRole } from '../../role-names.ts';
import { Email } from '../../components/lists/email.tsx';

interface InvitationsProps {
  readonly invitations: readonly InvitationRowFragment[];
  readonly onChanged: () => void;
}

export function Invitations({ invitations, onChanged }: InvitationsProps): ReactNode {
  const [{ fetching, error }, revoke] = useMutation(RevokeInvitationDocument);
  const end = async (id: string) => {
    const { data } = await revoke({ id });
    if (data) announce('The invitation is withdrawn');
    onChanged();
  };
  return (
    <Sheet title="Pending invitations">
      {error && <Problem error={error} />}
      {invitations.length === 0 && <Empty title="No pending invitations." />}
      {invitations.length > 0 && (
        <Table
          label="Invitations"
          rows={invitations}
          keyOf={({ id }) => id}
          columns={[
            { title: 'E-mail', phone: 'first', cell: ({ email }) => <Email address={email} /> },
            { title: 'Role', phone: 'first-end', cell: ({ role, customRole }) => customRole?.name ?? nameOfRole(role) },
            { title: 'Expires', cell: ({ expiresAt }) => <Time value={expiresAt} /> },
            {
              title: 'Actions',
              isUntitled: true,
              cell: ({ id, email }) => (
                <Button
                  look="link"
                  isDisabled={fetching}
                  aria-label={`Withdraw the invitation of ${email}`}
                  onPress={() => void end(id)}
                >
                  Withdraw
                </Button>
              ),
            },
          ]}
        />
      )}
    </Sheet>
  );
}
