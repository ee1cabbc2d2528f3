// The ways to the provider of identities: to sign in, and to accept an invitation.

import type { ReactNode } from 'react';
import { useMutation } from 'urql';
import { StartOidcInvitationDocument } from '../../generated/operations.ts';
import { Button } from '../../components/forms/button.tsx';
import { useProvider } from '../../components/hooks/use-provider.ts';
import { messageOf } from '../../errors.ts';

/** A link to the provider; nothing without one. The gateway answers it, so it is no link of the console. */
export function ByProvider(): ReactNode {
  const name = useProvider();
  return (
    name !== null && (
      <p>
        <a className="button quiet" href="/auth/oidc/start">
          Sign in with {name}
        </a>
      </p>
    )
  );
}

/** Accepts an invitation with an account at the provider, in place of a password. */
export function AcceptByProvider({ token }: { readonly token: string }): ReactNode {
  const name = useProvider();
  const [{ fetching, error }, start] = useMutation(StartOidcInvitationDocument);
  if (name === null) return null;
  const leave = async () => {
    const path = (await start({ token })).data?.startOidcInvitation.startPath;
    if (path != null) location.assign(path);
  };
  return (
    <>
      <p>
        <Button look="quiet" isPending={fetching} onPress={() => void leave()}>
          Accept with {name}
        </Button>
      </p>
      {error && (
        <p className="fault" role="alert">
          {messageOf(error)}
        </p>
      )}
    </>
  );
}
