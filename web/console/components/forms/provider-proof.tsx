// Confirms by the provider, for those who have nothing else: they sign in there anew, in a window of its own, since a
// page that went away would lose what was typed in it.

import { useEffect, type ReactNode } from 'react';
import { useProvider } from '../hooks/use-provider.ts';
import { Button } from './button.tsx';

/** On which the window tells that the provider vouched, whatever it shares with the page that opened it. */
const CHANNEL = 'turnpike-confirmation';
const WINDOW = 'popup,width=520,height=720';

interface ProviderProofProps {
  /** Where the window goes. */
  readonly startPath: string;
  readonly isShown: boolean;
  /** Called once the provider has vouched. */
  readonly onShown: () => void;
  readonly takesFocus: boolean;
}

export function ProviderProof({ startPath, isShown, onShown, takesFocus }: ProviderProofProps): ReactNode {
  const name = useProvider() ?? 'your provider';
  useEffect(() => {
    const channel = new BroadcastChannel(CHANNEL);
    channel.addEventListener('message', onShown);
    return () => channel.close();
  }, [onShown]);
  if (isShown) return <p role="status">You have signed in at {name} anew. Go on below.</p>;
  return (
    <>
      <p>Sign in at {name} anew: a window opens for it.</p>
      <p>
        <Button look="quiet" autoFocus={takesFocus} onPress={() => void window.open(startPath, '_blank', WINDOW)}>
          Sign in with {name}
        </Button>
      </p>
    </>
  );
}
