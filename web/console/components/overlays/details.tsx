// A drawer at the end side of the page with the details of a row; on a phone it takes the whole of it.

import type { ReactNode } from 'react';
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useHush } from '../announcer.tsx';
import { Button } from '../forms/button.tsx';
import '../../style/drawer.css';

interface DetailsProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Buttons beside the one that closes it. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

export function Details({ title, isOpen, onClose, actions, children }: DetailsProps): ReactNode {
  useHush(isOpen);
  return (
    <ModalOverlay
      className="overlay drawer-overlay"
      isDismissable
      isOpen={isOpen}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Modal className="drawer">
        <Dialog className="dialog">
          <div className="drawer-head">
            <Heading slot="title">{title}</Heading>
            <div className="actions">
              {actions}
              <Button look="quiet" onPress={onClose}>
                Close
              </Button>
            </div>
          </div>
          <div className="drawer-body">{children}</div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
