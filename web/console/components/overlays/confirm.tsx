// Asks for confirmation before something is destroyed or money moves, and says what will happen; for money, keys and
// webhooks it also asks them to show that it is still them.

import { useState, type ReactNode } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import type { CombinedError } from 'urql';
import { useHush } from '../announcer.tsx';
import { Fault } from '../forms/fault.tsx';
import { Button } from '../forms/button.tsx';
import { useConfirmation } from '../forms/confirmation.tsx';

interface ConfirmProps {
  /** The dialog's title, such as "Refund 25.00 USDT?" */
  readonly title: string;
  /** An explanation of what will happen. */
  readonly children: ReactNode;
  /** The label of the confirm button: "Refund", "Delete"; never "OK". */
  readonly action: string;
  /** The label of the cancel button. */
  readonly refusal?: string;
  readonly isDanger?: boolean;
  readonly needsProof?: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Runs the action with what was filled in; if it returns an error, it is shown and the dialog stays open. */
  readonly onConfirm: (data: FormData) => Promise<{ error?: CombinedError | undefined }>;
}

export function Confirm({ isOpen, onClose, ...rest }: ConfirmProps): ReactNode {
  useHush(isOpen);
  return (
    <ModalOverlay
      className="overlay"
      isDismissable
      isOpen={isOpen}
      onOpenChange={(next) => {
        if (!next) onClose();
      }}
    >
      <Modal className="modal">
        <Dialog role="alertdialog" className="dialog">
          <Question {...rest} onClose={onClose} />
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** Mounted anew each time the dialog opens: neither a password nor an error outlives it. */
function Question(props: Omit<ConfirmProps, 'isOpen'>): ReactNode {
  const {
    title,
    children,
    action,
    refusal = 'Cancel',
    isDanger = false,
    needsProof = false,
    onClose,
    onConfirm,
  } = props;
  const proof = useConfirmation(needsProof);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<ReactNode>(null);
  const confirm = async (data: FormData) => {
    setBusy(true);
    setFault(null);
    const refused = await proof.confirm(data);
    const error = refused === null ? (await onConfirm(data)).error : undefined;
    setBusy(false);
    if (refused !== null) setFault(refused);
    else if (error) setFault(<Fault error={error} />);
    else onClose();
  };
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isBusy) void confirm(new FormData(event.currentTarget));
      }}
    >
      <Heading slot="title">{title}</Heading>
      <div className="words">{children}</div>
      {proof.fields}
      {fault && (
        <p className="fault" role="alert">
          {fault}
        </p>
      )}
      <div className="actions">
        <Button look="quiet" onPress={onClose} isDisabled={isBusy}>
          {refusal}
        </Button>
        <Button type="submit" look={isDanger ? 'danger' : 'main'} isPending={isBusy}>
          {action}
        </Button>
      </div>
    </Form>
  );
}
