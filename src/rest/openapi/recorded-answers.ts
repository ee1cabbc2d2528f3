// Examples of answers and webhooks in the OpenAPI document. They are recorded: test/rest/openapi/examples.test.ts calls
// every operation, checks the answers against the document, and writes recorded.json where RECORD_EXAMPLES is set.

import recorded from './recorded.json' with { type: 'json' };
import { ERRORS, type ErrorRow } from '../../values/errors.ts';
import * as checks from '../../values/checks.ts';
import type { Json } from './schemas.ts';

const answers = recorded.answers as Readonly<Record<string, Json>>;
const webhooks = recorded.webhooks as Readonly<Record<string, Json>>;

/** The answer to the operation's own example; undefined if none was recorded yet. */
export const exampleOfAnswer = (operation: string, environment: string): Json | undefined =>
  inEnvironment(answers[operation], environment);

/** The body of a webhook; undefined for types that none of the examples comes to. */
export function exampleOfWebhook(type: string, environment: string): Json | undefined {
  const [kind = '', ending = ''] = type.split('.');
  const request = webhooks[`${kind}.requested`];
  const end = ENDINGS[ending];
  return inEnvironment(webhooks[type] ?? (request && end && ended(request, { type, kind, end })), environment);
}

/** How payouts end that come to nothing, as no example does: what differs from their request. */
const ENDINGS: Readonly<Record<string, Json>> = {
  failed: { status: 'FAILED', failureReason: 'the recipient or the token refuses the transfer' },
  rejected: { status: 'REJECTED', failureReason: 'This supplier was paid last week' },
};

function ended(request: Json, { type, kind, end }: { type: string; kind: string; end: Json }): Json {
  const data = request['data'] as Readonly<Record<string, Json>>;
  return { ...request, type, data: { [kind]: { ...data[kind], ...end } } };
}

/** Recorded in a sandbox; in live, keys have other prefixes, rates come from elsewhere, and nothing is a test. */
function inEnvironment(example: Json | undefined, environment: string): Json | undefined {
  if (example === undefined || environment === 'sandbox') return example;
  const text = JSON.stringify(example)
    .replaceAll(/\b([ps]k)_test_/g, '$1_live_')
    .replaceAll('"sandbox"', '"kraken"');
  return JSON.parse(text, (key, value: unknown) =>
    key === 'environment' ? 'live' : key === 'test' && value !== null ? null : value,
  ) as Json;
}

/** What is wrong in the examples of errors that say so by field. */
const DETAILS: Readonly<Record<string, Json[]>> = {
  [ERRORS.VALIDATION.code]: [{ path: 'amount', message: checks.amount('25,00') }],
  [ERRORS.WEBHOOK_URL_REFUSED.code]: [{ path: 'url', message: 'the address is not a public one' }],
};

/** The answer to a call that is refused. */
export function exampleOfError({ code, message }: ErrorRow): Json {
  const details = DETAILS[code];
  return { success: false, error: { code, message, ...(details && { details }) } };
}
