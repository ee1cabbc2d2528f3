// What the link of an invitation leads to: what is offered, and the way to accept it for people who are new, who have
// an account, or who are signed in. One of the operator offers to register a company.

import { useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { Brand } from '../../components/frame/brand.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Field } from '../../components/forms/field.tsx';
import { NewPassword, UserName } from '../../components/forms/new-password.tsx';
import { OperationForm, textOf, wholeTextOf } from '../../components/forms/operation-form.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { messageOf } from '../../errors.ts';
import {
  AcceptInvitationDocument,
  InvitationDocument,
  LogoutDocument,
  MeDocument,
  type InvitationQuery,
} from '../../generated/operations.ts';
import { useLinkSecret } from '../../link-secret.ts';
import { nameOfRole } from '../../role-names.ts';
import { AcceptByProvider } from './by-provider.tsx';
import { Invited } from './invited.tsx';

type Offer = NonNullable<InvitationQuery['invitation']>;

interface AcceptProps {
  readonly isSignedOut: boolean;
  /** Called once they are signed in at the merchant. */
  readonly onAccepted: () => void;
  /** Called once they are signed out, to accept as somebody else. */
  readonly onSignedOut: () => void;
  /** Called once they are signed in, to accept as that person. */
  readonly onSignedIn: () => void;
}

export function AcceptPage(props: AcceptProps): ReactNode {
  const token = useLinkSecret() ?? '';
  const [{ data, error }, retry] = useQuery({ query: InvitationDocument, variables: { token } });
  return (
    <main className="alone">
      <Brand />
      {error && <Problem error={error} onRetry={() => retry({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Loading lines={3} />}
      {data && (data.invitation ? <Offered offer={data.invitation} token={token} {...props} /> : <Ended />)}
    </main>
  );
}

function Ended(): ReactNode {
  return (
    <>
      <h1>This invitation has ended</h1>
      <p>It was accepted or withdrawn, or is older than seven days. Ask for a new one.</p>
      <p>
        <a href="/console">Go to the console</a>
      </p>
    </>
  );
}

interface OfferedProps extends AcceptProps {
  readonly offer: Offer;
  readonly token: string;
}

function Offered(props: OfferedProps): ReactNode {
  const { offer, isSignedOut, ...rest } = props;
  const { companyName, email, role } = offer;
  const [{ data }] = useQuery({ query: MeDocument, pause: isSignedOut });
  const own = isSignedOut ? undefined : data?.me.email;
  const isToRegister = companyName == null;
  const isAnswerable = own === email || isSignedOut;
  return (
    <>
      <h1>{isToRegister ? 'Create your account' : `Join ${companyName}`}</h1>
      <p>
        {isToRegister ? 'The operator of this gateway' : companyName} invites {email}
        {role && ` as ${nameOfRole(role)}`}.
      </p>
      {isToRegister && isAnswerable && <Invited {...offer} {...rest} isSignedIn={own === email} />}
      {!isToRegister && own === undefined && isSignedOut && <AcceptForm {...props} />}
      {!isToRegister && own === undefined && isSignedOut && <AcceptByProvider token={props.token} />}
      {!isToRegister && own === email && <AcceptButton {...props} />}
      {own !== undefined && own !== email && <AsSomebodyElse own={own} {...props} />}
      {own === undefined && !isSignedOut && <Loading lines={2} />}
    </>
  );
}

/** For people who are new: a name and a password; for others their password. */
function AcceptForm({ offer: { email, hasAccount }, token, onAccepted }: OfferedProps): ReactNode {
  const [, accept] = useMutation(AcceptInvitationDocument);
  return (
    <OperationForm
      action="Accept"
      onSubmit={async (data) => {
        const name = hasAccount ? '' : textOf(data, 'name');
        const outcome = await accept({ token, password: wholeTextOf(data, 'password'), ...(name && { name }) });
        if (outcome.data) onAccepted();
        return outcome;
      }}
    >
      <UserName email={email} />
      {!hasAccount && <Field label="Your name" name="name" autoComplete="name" maxLength={100} autoFocus />}
      {hasAccount ? (
        <Field
          label="Your password"
          name="password"
          type="password"
          autoComplete="current-password"
          isRequired
          autoFocus
        />
      ) : (
        <NewPassword />
      )}
      {hasAccount && (
        <p>
          <a href="/console/reset">Forgot your password?</a>
        </p>
      )}
    </OperationForm>
  );
}

function AcceptButton({ token, onAccepted }: OfferedProps): ReactNode {
  const [{ fetching, error }, accept] = useMutation(AcceptInvitationDocument);
  return (
    <>
      {error && (
        <p className="fault" role="alert">
          {messageOf(error)}
        </p>
      )}
      <Button isPending={fetching} onPress={() => void accept({ token }).then(({ data }) => data && onAccepted())}>
        Accept
      </Button>
    </>
  );
}

function AsSomebodyElse({ own, offer: { email }, onSignedOut }: OfferedProps & { readonly own: string }): ReactNode {
  const [, logout] = useMutation(LogoutDocument);
  const [isBusy, setBusy] = useState(false);
  const leave = async () => {
    setBusy(true);
    await logout({});
    onSignedOut();
  };
  return (
    <>
      <p role="alert">
        You are signed in as {own}. The invitation is for {email}: sign out to accept it.
      </p>
      <Button isPending={isBusy} onPress={() => void leave()}>
        Sign out
      </Button>
    </>
  );
}
