// New recovery codes, shown once, to be copied or saved as a file.

import type { ReactNode } from 'react';
import { Copy } from '../../../components/copy.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Popup } from '../../../components/overlays/popup.tsx';
import { download } from '../../../download.ts';

interface RecoveryCodesProps {
  /** Null while there is nothing to show. */
  readonly codes: readonly string[] | null;
  readonly onClose: () => void;
}

export function RecoveryCodes({ codes, onClose }: RecoveryCodesProps): ReactNode {
  const text = (codes ?? []).join('\n');
  return (
    <Popup title="Your recovery codes" isOpen={codes !== null} onClose={onClose} isDismissable={false}>
      <div className="form">
        <p className="notice" role="status">
          <strong>These are shown only once.</strong> Keep them where you can find them without your phone. Each works
          once in place of your second factor; earlier codes no longer work.
        </p>
        <Copy value={text} label="recovery codes" isBlock />
        <div className="actions">
          <Button look="quiet" onPress={() => download('recovery-codes.txt', `${text}\n`, 'text/plain')}>
            Save as a file
          </Button>
          <Button onPress={onClose} autoFocus>
            I have saved them
          </Button>
        </div>
      </div>
    </Popup>
  );
}
