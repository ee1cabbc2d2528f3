// The policy of payouts: the rules and limits that hold, those that wait, and the ways to change them.

import { useCallback, useState, type ReactNode } from 'react';
import { useMutation, useQuery } from 'urql';
import {
  CancelPolicyChangeDocument,
  PayoutPolicyDocument,
  type PayoutPolicyQuery,
} from '../../generated/operations.ts';
import { announce } from '../../components/announcer.tsx';
import { TimeLeft } from '../../components/age.tsx';
import { Button } from '../../components/forms/button.tsx';
import { useRefreshOnReturn } from '../../components/hooks/use-pages.ts';
import { usePolling } from '../../components/hooks/use-polling.ts';
import { May } from '../../components/may.tsx';
import { Popup } from '../../components/overlays/popup.tsx';
import { Facts, Sheet } from '../../components/overlays/sheet.tsx';
import { PageActions } from '../../components/page-head.tsx';
import { SectionLinks } from '../../components/section-links.tsx';
import { Loading, Problem } from '../../components/states.tsx';
import { Time } from '../../components/time.tsx';
import { Limits } from './limits.tsx';
import { RulesForm } from './rules-form.tsx';
import { differences, RULES } from './words.ts';

/** What is left of limits and what waits changes by the clock alone. */
const LOOK_EVERY_MS = 30_000;

type Policy = PayoutPolicyQuery['payoutPolicy'];

export default function PolicyPage(): ReactNode {
  const [{ data, error }, reload] = useQuery({ query: PayoutPolicyDocument });
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useRefreshOnReturn(refresh);
  usePolling(data !== undefined, refresh, LOOK_EVERY_MS);
  return (
    <>
      <SectionLinks section="Balances" />
      {error && <Problem error={error} onRetry={refresh} />}
      {!data && !error && <Loading lines={8} />}
      {data && <Shown policy={data.payoutPolicy} onChanged={refresh} />}
    </>
  );
}

interface ShownProps {
  readonly policy: Policy;
  readonly onChanged: () => void;
}

function Shown({ policy, onChanged }: ShownProps): ReactNode {
  const { version, inForce, pending, pendingFrom } = policy;
  const [isEditing, setEditing] = useState(false);
  const [isStale, setStale] = useState(false);
  const change = {
    version,
    onSaved: () => {
      setStale(false);
      setEditing(false);
      onChanged();
    },
    onStale: () => {
      setStale(true);
      setEditing(false);
      onChanged();
    },
  };
  const warning = pending && (
    <p className="notice">
      A change is already pending. A looser change replaces it; a tighter one applies to it as well.
    </p>
  );
  return (
    <>
      <PageActions>
        <May permissions={['MANAGE_POLICY']}>
          <Button onPress={() => setEditing(true)}>Change the rules</Button>
        </May>
      </PageActions>
      {isStale && (
        <p className="notice apart" role="alert">
          Someone else changed the policy, so your change was not saved. This is the current one.
        </p>
      )}
      {pending && pendingFrom != null && (
        <Waiting inForce={inForce} pending={pending} from={pendingFrom} onChanged={onChanged} />
      )}
      <Sheet title="Rules">
        <Facts rows={RULES.map(([rule, words]) => [words, inForce[rule] ? 'On' : 'Off'])} />
      </Sheet>
      <Limits rules={inForce} change={change} warning={warning} />
      <Popup title="Change the rules" isOpen={isEditing} onClose={() => setEditing(false)}>
        <RulesForm
          // What somebody else has changed meanwhile is shown, and not overwritten unseen.
          key={RULES.map(([rule]) => String(inForce[rule])).join()}
          rules={inForce}
          change={change}
          warning={warning}
          onCancel={() => setEditing(false)}
        />
      </Popup>
    </>
  );
}

interface WaitingProps {
  readonly inForce: Policy['inForce'];
  readonly pending: Policy['inForce'];
  readonly from: string;
  readonly onChanged: () => void;
}

function Waiting({ inForce, pending, from, onChanged }: WaitingProps): ReactNode {
  const [{ fetching, error }, cancel] = useMutation(CancelPolicyChangeDocument);
  const drop = async () => {
    if ((await cancel({})).data) announce('The change is canceled');
    onChanged();
  };
  return (
    <Sheet
      title="Pending change"
      actions={
        <May permissions={['MANAGE_POLICY']}>
          <Button look="quiet" isPending={fetching} onPress={() => void drop()}>
            Cancel the change
          </Button>
        </May>
      }
    >
      {error && <Problem error={error} />}
      <p>
        From <Time value={from} isExact /> on, in <TimeLeft until={new Date(from)} />:
      </p>
      <ul>
        {differences(inForce, pending).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
    </Sheet>
  );
}
