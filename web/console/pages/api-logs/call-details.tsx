// A call beside the list: what it asked for, what it was answered, and where it leads.

import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ApiLogsQuery } from '../../generated/operations.ts';
import { Badge, type Tone } from '../../components/badge.tsx';
import { Copy } from '../../components/copy.tsx';
import { ExactTime } from '../../components/exact-time.tsx';
import { Details } from '../../components/overlays/details.tsx';
import { Facts } from '../../components/overlays/sheet.tsx';

export type Call = ApiLogsQuery['apiLogs']['nodes'][number];

interface CallDetailsProps {
  /** It is closed while it is undefined. */
  readonly call: Call | undefined;
  readonly onClose: () => void;
}

export function CallDetails({ call, onClose }: CallDetailsProps): ReactNode {
  return (
    <Details title={call ? `${call.method} ${call.path}` : 'Call'} isOpen={call !== undefined} onClose={onClose}>
      {call && <Shown call={call} />}
    </Details>
  );
}

function Shown({ call }: { readonly call: Call }): ReactNode {
  const { at, keyId, path, operation, status, errorCode, durationMs, ip, requestId } = call;
  const paymentId = /\/payments\/(ord_[0-9a-z]{32})/.exec(path)?.[1];
  return (
    <>
      <Facts
        rows={[
          ['Answer', <Answer key="answer" status={status} errorCode={errorCode} />],
          ['Time', <ExactTime key="at" value={at} />],
          ['Duration', `${durationMs.toLocaleString()} ms`],
          operation === null ? null : ['Operation', <code key="operation">{operation}</code>],
          ['From', <code key="ip">{ip}</code>],
          ['Key', keyId === null ? 'None: somebody’s session' : <Copy key="key" value={keyId} label="key" isShort />],
          ['Request id', <Copy key="request" value={requestId} label="request id" />],
          paymentId === undefined
            ? null
            : [
                'Payment',
                <Link key="payment" href={`/payments/${paymentId}`}>
                  Open the payment
                </Link>,
              ],
        ]}
      />
      {errorCode !== null && (
        <p className="quietly">
          Error {errorCode} is explained among the error codes of the API. Bodies of calls are not kept; your program
          has the answer under this request id.
        </p>
      )}
    </>
  );
}

const toneOf = (status: number): Tone => (status >= 500 ? 'bad' : status >= 400 ? 'busy' : 'good');

export function Answer({ status, errorCode }: Pick<Call, 'status' | 'errorCode'>): ReactNode {
  return (
    <span>
      <Badge tone={toneOf(errorCode !== null && status < 400 ? 400 : status)}>{status}</Badge>
      {errorCode !== null && <span className="quietly"> error {errorCode}</span>}
    </span>
  );
}
