// A transaction hash to copy, with a link to a public explorer on main networks.

import type { ReactNode } from 'react';
import { Copy } from './copy.tsx';

interface ExplorerLinkProps {
  readonly txHash: string;
  readonly explorerUrl: string | null | undefined;
}

export function ExplorerLink({ txHash, explorerUrl }: ExplorerLinkProps): ReactNode {
  return (
    <span>
      <Copy value={txHash} label="transaction's hash" isShort />{' '}
      {explorerUrl && (
        <a href={explorerUrl} target="_blank" rel="noreferrer">
          See it on {new URL(explorerUrl).host}
          <span className="unseen"> (opens in a new tab)</span>
        </a>
      )}
    </span>
  );
}
