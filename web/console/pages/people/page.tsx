// The people of the merchant: members, those who were invited, and roles of their own.

import { useCallback, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { PeopleDocument } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { Popup } from '../../components/overlays/popup.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Invitations } from './invitations.tsx';
import { InviteForm } from './invite-form.tsx';
import { Members } from './members.tsx';
import { Roles } from './roles.tsx';

export default function People(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: PeopleDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [isInviting, setInviting] = useState(false);
  const close = () => setInviting(false);
  if (error) return <Problem error={error} onRetry={refresh} />;
  if (!data) return <Loading lines={8} />;
  const { members, invitations, customRoles } = data;
  return (
    <>
      <PageActions>
        <Button onPress={() => setInviting(true)}>Invite a member</Button>
      </PageActions>
      <Members members={members} customRoles={customRoles} onChanged={refresh} />
      <Invitations invitations={invitations} onChanged={refresh} />
      <Roles roles={customRoles} onChanged={refresh} />
      <Popup title="Invite a member" isOpen={isInviting} onClose={close}>
        <InviteForm
          customRoles={customRoles}
          onCancel={close}
          onInvited={() => {
            close();
            refresh();
          }}
        />
      </Popup>
    </>
  );
}
