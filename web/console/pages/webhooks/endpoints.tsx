// The list of webhook endpoints: the health of each, and its actions.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import { messageOf } from '../../errors.ts';
import {
  DeleteEndpointDocument,
  EndpointsDocument,
  SendTestEventDocument,
  UpdateEndpointDocument,
  type EndpointRowFragment,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/forms/button.tsx';
import { Confirm } from '../../components/overlays/confirm.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Sheet } from '../../components/overlays/sheet.tsx';
import { ShownOnce } from '../../components/shown-once.tsx';
import { Empty, Loading, Problem } from '../../components/states.tsx';
import { Table, type Column } from '../../components/table.tsx';
import { Time } from '../../components/time.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { EVENTS, EditEndpoint, NewEndpoint } from './endpoint-forms.tsx';
import { useConfirmedMutation } from '../../components/forms/confirmation-question.tsx';

export function Endpoints(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: EndpointsDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  const [isMaking, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [editing, setEditing] = useState<EndpointRowFragment | null>(null);
  const [switching, setSwitching] = useState<EndpointRowFragment | null>(null);
  const [deleting, setDeleting] = useState<EndpointRowFragment | null>(null);
  const test = useTest();
  const [, update] = useConfirmedMutation(UpdateEndpointDocument);
  const switchOn = async ({ id }: EndpointRowFragment) => {
    const { error: refusal } = await update({ id, input: { enabled: true } });
    announce(refusal ? messageOf(refusal) : 'The endpoint is on');
    refresh();
  };
  const endpoints = data?.webhookEndpoints;
  const onSwitch = (endpoint: EndpointRowFragment) =>
    endpoint.enabled ? setSwitching(endpoint) : void switchOn(endpoint);
  return (
    <>
      <PageActions>
        <Button onPress={() => setMaking(true)}>Add an endpoint</Button>
      </PageActions>
      <Sheet title="Endpoints">
        {error && <Problem error={error} onRetry={refresh} />}
        {!endpoints && !error && <Loading lines={6} />}
        {endpoints?.length === 0 && (
          <Empty title="No endpoints yet.">
            <p>
              An endpoint is an address of your server. Turnpike posts there when a payment succeeds, fails, expires or
              is refunded, and tries again until it is answered.
            </p>
          </Empty>
        )}
        {endpoints && endpoints.length > 0 && (
          <Table
            label="Endpoints"
            rows={endpoints}
            keyOf={({ id }) => id}
            columns={columns({ onTest: test, onEdit: setEditing, onSwitch, onDelete: setDeleting })}
          />
        )}
      </Sheet>
      <Popup title="Add an endpoint" isOpen={isMaking} onClose={() => setMaking(false)}>
        <NewEndpoint
          hasMain={endpoints?.some(({ isPrimary }) => isPrimary) ?? true}
          onCancel={() => setMaking(false)}
          onMade={(made) => {
            setMaking(false);
            setSecret(made);
            refresh();
          }}
        />
      </Popup>
      <Popup title="Change the endpoint" isOpen={editing !== null} onClose={() => setEditing(null)}>
        {editing && <EditEndpoint endpoint={editing} onClose={() => setEditing(null)} onChanged={refresh} />}
      </Popup>
      <ShownOnce
        title="Your webhook secret"
        isOpen={secret !== null}
        onClose={() => setSecret(null)}
        values={[['Webhook secret', secret ?? '']]}
      >
        Your server checks with it that a webhook comes from here. It is the same for all your endpoints.
      </ShownOnce>
      <SwitchOff endpoint={switching} onClose={() => setSwitching(null)} onDone={refresh} />
      <Delete endpoint={deleting} onClose={() => setDeleting(null)} onDone={refresh} />
    </>
  );
}

/** Sends a test event to an endpoint; its result appears among the deliveries. */
function useTest(): (endpoint: EndpointRowFragment) => void {
  const [, send] = useConfirmedMutation(SendTestEventDocument);
  return ({ url }) =>
    void send({ url }).then(({ error }) =>
      announce(error ? messageOf(error) : 'A test event is on its way; see the deliveries below'),
    );
}

interface EndpointActions {
  readonly onTest: (endpoint: EndpointRowFragment) => void;
  readonly onEdit: (endpoint: EndpointRowFragment) => void;
  readonly onSwitch: (endpoint: EndpointRowFragment) => void;
  readonly onDelete: (endpoint: EndpointRowFragment) => void;
}

function columns(actions: EndpointActions): readonly Column<EndpointRowFragment>[] {
  return [
    {
      title: 'Address',
      cell: ({ url, description, isPrimary }) => (
        <span className="long">
          <strong>{url}</strong> {isPrimary && <Badge tone="calm">Main</Badge>}
          {description !== null && <span className="quietly below">{description}</span>}
        </span>
      ),
    },
    {
      title: 'Events',
      cell: ({ events }) =>
        events.length === EVENTS.length
          ? 'Everything'
          : EVENTS.filter(([type]) => events.includes(type))
              .map(([, words]) => words)
              .join(', '),
    },
    { title: 'State', cell: (endpoint) => <State endpoint={endpoint} /> },
    {
      title: 'Actions',
      isUntitled: true,
      cell: (endpoint) => <Actions endpoint={endpoint} {...actions} />,
    },
  ];
}

function State({ endpoint }: { readonly endpoint: EndpointRowFragment }): ReactNode {
  const { enabled, disabledAt, disabledReason, failingSince } = endpoint;
  if (!enabled)
    return (
      <span>
        <Badge tone={disabledReason === null ? 'calm' : 'bad'}>Off</Badge>
        {disabledReason !== null && (
          <span className="quietly below">
            {disabledReason}
            {disabledAt !== null && (
              <>
                {', '}
                <Time value={disabledAt} />
              </>
            )}
          </span>
        )}
      </span>
    );
  if (failingSince === null) return <Badge tone="good">On</Badge>;
  return (
    <span>
      <Badge tone="busy">Failing</Badge>
      <span className="quietly below">
        since <Time value={failingSince} />
      </span>
    </span>
  );
}

function Actions({
  endpoint,
  onTest,
  onEdit,
  onSwitch,
  onDelete,
}: EndpointActions & { readonly endpoint: EndpointRowFragment }): ReactNode {
  const { url, enabled } = endpoint;
  return (
    <span className="row-actions">
      {enabled && (
        <Button look="link" aria-label={`Send a test event to ${url}`} onPress={() => onTest(endpoint)}>
          Test
        </Button>
      )}
      <Button look="link" aria-label={`Change ${url}`} onPress={() => onEdit(endpoint)}>
        Change
      </Button>
      <Button look="link" aria-label={`Switch ${enabled ? 'off' : 'on'} ${url}`} onPress={() => onSwitch(endpoint)}>
        {enabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button look="link" aria-label={`Delete ${url}`} onPress={() => onDelete(endpoint)}>
        Delete
      </Button>
    </span>
  );
}

interface QuestionProps {
  readonly endpoint: EndpointRowFragment | null;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

function SwitchOff({ endpoint, onClose, onDone }: QuestionProps): ReactNode {
  const [, update] = useMutation(UpdateEndpointDocument);
  return (
    <Confirm
      title="Switch the endpoint off?"
      action="Switch it off"
      refusal="Leave it on"
      isDanger
      needsProof
      isOpen={endpoint !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await update({ id: endpoint?.id ?? '', input: { enabled: false } });
        if (outcome.data) {
          onDone();
          announce('The endpoint is off');
        }
        return outcome;
      }}
    >
      <p>
        <code>{endpoint?.url}</code> will receive no more events, and pending retries are dropped. You can switch it
        back on and resend missed events from the deliveries.
      </p>
    </Confirm>
  );
}

function Delete({ endpoint, onClose, onDone }: QuestionProps): ReactNode {
  const [, remove] = useMutation(DeleteEndpointDocument);
  return (
    <Confirm
      title="Delete the endpoint?"
      action="Delete it"
      refusal="Keep it"
      isDanger
      needsProof
      isOpen={endpoint !== null}
      onClose={onClose}
      onConfirm={async () => {
        const outcome = await remove({ id: endpoint?.id ?? '' });
        if (outcome.data) {
          onDone();
          announce('The endpoint is deleted');
        }
        return outcome;
      }}
    >
      <p>
        <code>{endpoint?.url}</code> will receive no more events, and pending retries are dropped. Past deliveries stay
        in the list.
      </p>
    </Confirm>
  );
}
