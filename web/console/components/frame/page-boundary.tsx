// Loads a page when it is first opened, and keeps a page that fails from taking the others with it.

import { Component, lazy, type ReactNode } from 'react';
import { inTab } from '../hooks/keeping.ts';
import { Button } from '../forms/button.tsx';

/** A part of the program is not there: the gateway has a new version, or the connection is lost. */
class MissingPart extends Error {}

/** When the program was last loaded anew for a missing part, so that it is not again and again. */
const RELOADED_AT = 'turnpike/reloaded-at';
const RELOAD_AGAIN_MS = 60_000;

/** A component with whatever props, as React's `lazy` takes them. */
type AnyComponent = Awaited<ReturnType<Parameters<typeof lazy>[0]>>['default'];

/** A page, or another part, that is loaded when it is first shown. */
export const page = <Of extends AnyComponent>(load: () => Promise<{ readonly default: Of }>) =>
  lazy(async () => {
    try {
      return await load();
    } catch (cause) {
      throw new MissingPart('A part of the program is missing', { cause });
    }
  });

interface BoundaryProps {
  readonly children: ReactNode;
}

/**
 * What a page is shown in. Where a part of the program is missing, the program is loaded anew once, if the gateway
 * answers: after an upgrade that is all it takes. The navigation stays in any case.
 */
export class PageBoundary extends Component<BoundaryProps, { readonly error: unknown }> {
  override state = { error: null };

  static getDerivedStateFromError(error: unknown): { readonly error: unknown } {
    return { error };
  }

  override componentDidCatch(error: unknown): void {
    if (error instanceof MissingPart) void reloadOnce();
  }

  override render(): ReactNode {
    const error: unknown = this.state.error;
    if (error === null) return this.props.children;
    return (
      <div className="problem" role="alert">
        <p>
          <strong>
            {error instanceof MissingPart ? 'A new version is there' : 'Something went wrong on this page'}
          </strong>
        </p>
        <p>
          {error instanceof MissingPart
            ? 'Reload to continue. If that does not help, the connection to the gateway is lost.'
            : 'Nothing is lost. Reload, or open another page.'}
        </p>
        <Button onPress={() => location.reload()}>Reload</Button>
      </div>
    );
  }
}

/** Loads the program anew unless that was tried just now, or nobody would answer. */
async function reloadOnce(): Promise<void> {
  if (Date.now() - Number(inTab.read(RELOADED_AT)) < RELOAD_AGAIN_MS) return;
  const answer = await fetch(location.href, { method: 'HEAD', cache: 'no-store' }).catch(() => null);
  if (answer?.ok !== true) return;
  // A page that could not remember this would be loaded anew for ever.
  if (inTab.keep(RELOADED_AT, String(Date.now()))) location.reload();
}
