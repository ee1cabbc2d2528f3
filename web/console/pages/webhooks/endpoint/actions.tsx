// What can be done with an endpoint, with the questions before it: test, change, switch on and off, delete.

import { useState, type ReactNode } from 'react';
import { useMutation } from 'urql';
import { messageOf } from '../../../errors.ts';
import {
  DeleteEndpointDocument,
  SendTestEventDocument,
  UpdateEndpointDocument,
  type EndpointRowFragment,
} from '../../../generated/operations.ts';
import { announce } from '../../../components/announcer.tsx';
import { useConfirmedMutation } from '../../../components/forms/confirmation-question.tsx';
import { Button } from '../../../components/forms/button.tsx';
import { Confirm } from '../../../components/overlays/confirm.tsx';
import { Popup } from '../../../components/overlays/popup.tsx';
import { EditEndpoint } from './forms.tsx';

interface ActionsProps {
  readonly endpoint: EndpointRowFragment;
  readonly onChanged: () => void;
  /** Called in place of `onChanged` when it is gone. */
  readonly onDeleted: () => void;
}

/** The buttons of an endpoint, each named with its address for those who do not see where it is. */
export function EndpointActions({ endpoint, onChanged, onDeleted }: ActionsProps): ReactNode {
  const [asked, setAsked] = useState<'edit' | 'off' | 'delete' | null>(null);
  const close = () => setAsked(null);
  const test = useTest();
  const [, update] = useConfirmedMutation(UpdateEndpointDocument);
  const { id, url, enabled } = endpoint;
  const switchOn = async () => {
    const { error } = await update({ id, input: { enabled: true } });
    announce(error ? messageOf(error) : 'The endpoint is on');
    onChanged();
  };
  return (
    <>
      <span className="row-actions">
        {enabled && (
          <Button look="link" aria-label={`Send test to ${url}`} onPress={() => test(endpoint)}>
            Send test
          </Button>
        )}
        <Button look="link" aria-label={`Edit ${url}`} onPress={() => setAsked('edit')}>
          Edit
        </Button>
        <Button
          look="link"
          aria-label={`Switch ${enabled ? 'off' : 'on'} ${url}`}
          onPress={() => (enabled ? setAsked('off') : void switchOn())}
        >
          {enabled ? 'Switch off' : 'Switch on'}
        </Button>
        <Button look="link" aria-label={`Delete ${url}`} onPress={() => setAsked('delete')}>
          Delete
        </Button>
      </span>
      <Popup title="Edit the endpoint" isOpen={asked === 'edit'} onClose={close}>
        <EditEndpoint endpoint={endpoint} onClose={close} onChanged={onChanged} />
      </Popup>
      <SwitchOff endpoint={endpoint} isOpen={asked === 'off'} onClose={close} onDone={onChanged} />
      <Delete endpoint={endpoint} isOpen={asked === 'delete'} onClose={close} onDone={onDeleted} />
    </>
  );
}

/** Sends a test event to an endpoint; its result appears among the deliveries. */
function useTest(): (endpoint: EndpointRowFragment) => void {
  const [, send] = useConfirmedMutation(SendTestEventDocument);
  return ({ url }) =>
    void send({ url }).then(({ error }) =>
      announce(error ? messageOf(error) : 'A test event is on its way; see the deliveries'),
    );
}

interface QuestionProps {
  readonly endpoint: EndpointRowFragment;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function SwitchOff({ endpoint, isOpen, onClose, onDone }: QuestionProps): ReactNode {
  const [, update] = useMutation(UpdateEndpointDocument);
  return (
    <Confirm
      title="Switch the endpoint off?"
      action="Switch it off"
      refusal="Leave it on"
      isDanger
      needsProof
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await update({ id: endpoint.id, input: { enabled: false } });
        if (outcome.data) {
          onDone();
          announce('The endpoint is off');
        }
        return outcome;
      }}
    >
      <p>
        <code>{endpoint.url}</code> will receive no more events, and pending retries are dropped. You can switch it back
        on and resend missed events from the deliveries.
      </p>
    </Confirm>
  );
}

function Delete({ endpoint, isOpen, onClose, onDone }: QuestionProps): ReactNode {
  const [, remove] = useMutation(DeleteEndpointDocument);
  return (
    <Confirm
      title="Delete the endpoint?"
      action="Delete it"
      refusal="Keep it"
      isDanger
      needsProof
      isOpen={isOpen}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: endpoint.id });
        if (outcome.data) {
          announce('The endpoint is deleted');
          onDone();
        }
        return outcome;
      }}
    >
      <p>
        <code>{endpoint.url}</code> will receive no more events, and pending retries are dropped. Past deliveries stay
        in the list.
      </p>
    </Confirm>
  );
}
