// The account of the person who is signed in: who they are, their merchants, and how they sign in.

import type { ReactNode } from 'react';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { useSession } from '../../session.ts';
import { EmailForm } from './email-form.tsx';
import { Factors } from './factors/sheet.tsx';
import { Identities } from './identities.tsx';
import { Merchants } from './merchants.tsx';
import { PasswordForm } from './password-form.tsx';
import { ProfileForm } from './profile-form.tsx';
import { Sessions } from './sessions.tsx';

export default function Account(): ReactNode {
  const { person } = useSession();
  return (
    <>
      <Sheet title="You">
        <ProfileForm />
      </Sheet>
      <Sheet title="E-mail">
        <EmailForm />
      </Sheet>
      <Merchants />
      <Factors />
      <Identities />
      <Sheet title="Password">
        <PasswordForm email={person.email} />
      </Sheet>
      <Sessions />
    </>
  );
}
