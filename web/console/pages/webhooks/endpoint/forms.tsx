// The forms that create and edit a webhook endpoint.

import type { ReactNode } from 'react';
import {
  ConfigureWebhookDocument,
  CreateEndpointDocument,
  UpdateEndpointDocument,
  type EndpointRowFragment,
} from '../../../generated/operations.ts';
import { announce } from '../../../components/announcer.tsx';
import { Check } from '../../../components/forms/checks.tsx';
import { Field } from '../../../components/forms/field.tsx';
import { GroupedChecks } from '../../../components/forms/grouped-checks.tsx';
import { OperationForm, textOf, textOrNull } from '../../../components/forms/operation-form.tsx';
import { useConfirmedMutation } from '../../../components/forms/confirmation-question.tsx';
import { EVENT_GROUPS, EVENT_TYPES } from '../event-types.ts';

/** Those of payouts are sent to endpoints that name them alone. */
const USUAL = EVENT_TYPES.map(([type]) => type).filter((type) => /^(payment|invoice)\./.test(type));

const eventsOf = (data: FormData) => data.getAll('events').filter((event) => typeof event === 'string');

function EndpointFields({ endpoint }: { readonly endpoint?: EndpointRowFragment }): ReactNode {
  return (
    <>
      <Field
        label="Address (URL)"
        name="url"
        type="url"
        hint="Where your server takes a POST, such as https://shop.example/webhooks."
        defaultValue={endpoint?.url ?? ''}
        isRequired
        autoFocus
      />
      <GroupedChecks
        label="Events to send"
        name="events"
        groups={EVENT_GROUPS}
        defaultValue={endpoint?.events ?? USUAL}
        isRequired
      />
      <Field label="Note (optional)" name="description" defaultValue={endpoint?.description ?? ''} />
    </>
  );
}

interface NewEndpointProps {
  /** Whether there is a main endpoint already; there can be only one. */
  readonly hasMain: boolean;
  readonly onCancel: () => void;
  /** Called with the secret, or null if the gateway did not return it. */
  readonly onMade: (secret: string | null) => void;
}

export function NewEndpoint({ hasMain, onCancel, onMade }: NewEndpointProps): ReactNode {
  const [, create] = useConfirmedMutation(CreateEndpointDocument);
  const [, configure] = useConfirmedMutation(ConfigureWebhookDocument);
  const [, update] = useConfirmedMutation(UpdateEndpointDocument);
  const makeMain = async (data: FormData) => {
    const main = await configure({ input: { url: textOf(data, 'url'), enabled: true } });
    if (!main.data) return main;
    const { id, secret } = main.data.configureWebhook;
    const input = { events: eventsOf(data), description: textOrNull(data, 'description') };
    const outcome = await update({ id, input });
    if (outcome.data) onMade(secret);
    return outcome;
  };
  const makeOther = async (data: FormData) => {
    const outcome = await create({
      input: { url: textOf(data, 'url'), events: eventsOf(data), description: textOrNull(data, 'description') },
    });
    if (outcome.data) onMade(outcome.data.createWebhookEndpoint.secret);
    return outcome;
  };
  return (
    <OperationForm
      action="Add the endpoint"
      onCancel={onCancel}
      onSubmit={(data) => (data.has('isMain') ? makeMain(data) : makeOther(data))}
    >
      <EndpointFields />
      {!hasMain && (
        <Check
          words="Make it the main endpoint."
          hint="Test events of the API go there, and it comes first where an event has several destinations."
          name="isMain"
          value="yes"
          defaultSelected
        />
      )}
    </OperationForm>
  );
}

interface EditEndpointProps {
  readonly endpoint: EndpointRowFragment;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

export function EditEndpoint({ endpoint, onClose, onChanged }: EditEndpointProps): ReactNode {
  const [, update] = useConfirmedMutation(UpdateEndpointDocument);
  return (
    <OperationForm
      action="Save"
      onCancel={onClose}
      onSubmit={async (data) => {
        const input = {
          url: textOf(data, 'url'),
          events: eventsOf(data),
          description: textOrNull(data, 'description'),
        };
        const outcome = await update({ id: endpoint.id, input });
        if (outcome.data) {
          onClose();
          onChanged();
          announce('The endpoint is changed');
        }
        return outcome;
      }}
    >
      <EndpointFields endpoint={endpoint} />
    </OperationForm>
  );
}
