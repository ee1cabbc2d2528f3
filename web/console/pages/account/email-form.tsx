// The e-mail address that one signs in with: whether it is confirmed, and the way to change it.

import { useCallback, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { ChangeEmailDocument, OwnEmailDocument } from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Button } from '../../components/forms/button.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';
import { Fault } from '../../components/forms/fault.tsx';
import { Field } from '../../components/forms/field.tsx';
import { OperationForm, textOf } from '../../components/forms/operation-form.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { Loading, Problem } from '../../components/states.tsx';

export function EmailForm(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: OwnEmailDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  // The link that confirms it is often opened in another window.
  useRefreshOnReturn(refresh);
  const [, change] = useConfirmedMutation(ChangeEmailDocument);
  if (error) return <Problem error={error} onRetry={refresh} />;
  if (!data) return <Loading lines={6} />;
  const { email, emailVerifiedAt } = data.me;
  return (
    <div className="narrow">
      <p>
        You sign in as <strong className="long">{email}</strong>
        {emailVerifiedAt == null ? ', which is not confirmed yet.' : '.'}
      </p>
      {emailVerifiedAt == null && <SendAgain email={email} />}
      <OperationForm
        action="Change the address"
        onSubmit={async (form, element) => {
          const address = textOf(form, 'email');
          const outcome = await change({ email: address });
          if (outcome.data) {
            element.reset();
            refresh();
            announce(linkSent(address));
          }
          return outcome;
        }}
      >
        <Field
          label="New address"
          name="email"
          type="email"
          autoComplete="email"
          hint="It takes effect immediately. The old address gets a link that undoes the change."
          isRequired
        />
      </OperationForm>
    </div>
  );
}

const linkSent = (address: string) => `A link is on its way to ${address}`;

/** Somebody who asks for the address that they have is mailed its link again. */
function SendAgain({ email }: { readonly email: string }): ReactNode {
  const [{ fetching, error }, change] = useConfirmedMutation(ChangeEmailDocument);
  const send = async () => {
    if ((await change({ email })).data) announce(linkSent(email));
  };
  return (
    <>
      <p>
        <Button look="quiet" isPending={fetching} onPress={() => void send()}>
          Resend the link
        </Button>
      </p>
      {error && (
        <p className="fault" role="alert">
          <Fault error={error} />
        </p>
      )}
    </>
  );
}
