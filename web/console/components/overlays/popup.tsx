// A modal dialog with a title. Its form is reset when it closes.

import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useHush } from '../announcer.tsx';

interface PopupProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly isWide?: boolean;
  /** Whether Escape or a press outside the dialog closes it; false for secrets that are shown once. */
  readonly isDismissable?: boolean;
  readonly children: ReactNode;
}

export function Popup({
  title,
  isOpen,
  onClose,
  isWide = false,
  isDismissable = true,
  children,
}: PopupProps): ReactNode {
  useHush(isOpen);
  return (
    <ModalOverlay
      className="overlay"
      isDismissable={isDismissable}
      isKeyboardDismissDisabled={!isDismissable}
      isOpen={isOpen}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Modal className={isWide ? 'modal wide' : 'modal'}>
        <Dialog className="dialog">
          <Heading slot="title">{title}</Heading>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
