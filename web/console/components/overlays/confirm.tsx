// Asks for confirmation before something is destroyed or money moves, and says what will happen; for money, keys and
// webhooks it asks for the password too.

import { useState, type ReactNode } from 'react';
import { Dialog, Form, Heading, Modal, ModalOverlay } from 'react-aria-components';
import { useMutation, type CombinedError } from 'urql';
import { errorCodeOf } from '../../client.ts';
import { messageOf } from '../../errors.ts';
import { ConfirmPasswordDocument } from '../../generated/operations.ts';
import { useHush } from '../announcer.tsx';
import { Button } from '../forms/button.tsx';
import { Field } from '../forms/field.tsx';

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
  readonly needsPassword?: boolean;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  /** Runs the action; if it returns an error, the error is shown and the dialog stays open. */
  readonly onConfirm: () => Promise<{ error?: CombinedError | undefined }>;
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
    needsPassword = false,
    onClose,
    onConfirm,
  } = props;
  const [, confirmPassword] = useMutation(ConfirmPasswordDocument);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const confirm = async (password: string) => {
    setBusy(true);
    setFault(null);
    const refused = needsPassword ? (await confirmPassword({ password })).error : undefined;
    const error = refused ?? (await onConfirm()).error;
    setBusy(false);
    if (!error) onClose();
    else setFault(refused && errorCodeOf(refused) === '1005' ? 'That is not your password.' : messageOf(error));
  };
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (isBusy) return;
        const password = new FormData(event.currentTarget).get('password');
        void confirm(typeof password === 'string' ? password : '');
      }}
    >
      <Heading slot="title">{title}</Heading>
      <div className="words">{children}</div>
      {needsPassword && (
        <Field
          label="Your password"
          name="password"
          type="password"
          autoComplete="current-password"
          isRequired
          autoFocus
        />
      )}
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
