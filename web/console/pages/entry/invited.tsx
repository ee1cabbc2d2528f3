// What the link of an operator's invitation leads to: the registration of a company, by somebody new, or by somebody
// who has an account and owns another company then.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { AddMerchantDocument, SwitchMerchantDocument } from '../../generated/operations.ts';
import { RegisterForm, SignInForm } from './sign-in.tsx';

interface InvitedProps {
  readonly email: string;
  readonly hasAccount: boolean;
  readonly token: string;
  /** Whether the person who was invited is signed in. */
  readonly isSignedIn: boolean;
  /** Called once they are signed in, without a company yet. */
  readonly onSignedIn: () => void;
  /** Called once they are at their new company. */
  readonly onAccepted: () => void;
}

export function Invited({ email, hasAccount, token, isSignedIn, onSignedIn, onAccepted }: InvitedProps): ReactNode {
  if (isSignedIn) return <CompanyForm token={token} onAccepted={onAccepted} />;
  if (!hasAccount) return <RegisterForm invited={{ email, token }} onSignedIn={onAccepted} />;
  return (
    <>
      <p>You have an account with this address: sign in, and add the company to it.</p>
      <SignInForm onSignedIn={onSignedIn} />
      <p>
        <a href="/console/reset">Lost your password?</a>
      </p>
    </>
  );
}

function CompanyForm({ token, onAccepted }: Pick<InvitedProps, 'token' | 'onAccepted'>): ReactNode {
  const [, add] = useMutation(AddMerchantDocument);
  const [, go] = useMutation(SwitchMerchantDocument);
  return (
    <OperationForm
      action="Add the company"
      onSubmit={async (data) => {
        const outcome = await add({ companyName: textOf(data, 'companyName'), invitation: token });
        if (!outcome.data) return outcome;
        const gone = await go({ merchantId: outcome.data.addMerchant.id });
        if (gone.data) onAccepted();
        return gone;
      }}
    >
      <p>It has payments, balances, keys and people of its own. You are its owner.</p>
      <Field label="Company name" name="companyName" hint="Your customers see it when they pay." isRequired autoFocus />
    </OperationForm>
  );
}
