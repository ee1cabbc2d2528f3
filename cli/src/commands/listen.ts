// `listen`: forwards the events of the log to a server on this machine, signed as the gateway signs webhooks.

import type { Command, Context } from '../command.ts';
import { unsafe, usage } from '../failure.ts';
import { isLoopback } from '../profile/profiles.ts';
import { bodyOf, type Event } from '../listen/delivery.ts';
import { PAYOUT_TYPES, USUAL_TYPES } from '../listen/event-types.ts';
import { forward, type Forwarding, type Outcome } from '../listen/forward.ts';
import { newestSequence } from '../listen/newest.ts';
import { keepPosition, lockPosition, positionPath, readPosition, type Position } from '../listen/position.ts';

const RETRIES = 5;

/** Follows the event log from the position that was kept. */
export const listen: Command = {
  name: 'listen',
  summary: 'forward events to a server of yours, as signed webhooks',
  details: `Signed with a secret of its own, which stays the same for this URL and is printed at the start: give it to your
server as its webhook secret, or set TURNPIKE_WEBHOOK_SECRET to sign with yours. Nothing is lost over restarts: an
event is done with when your server has answered 2xx, or when it was given up after its retries, which is said.`,
  isEndless: true,
  options: {
    'forward-to': { value: 'URL', help: 'where to post, such as http://localhost:8081/webhooks' },
    'allow-remote': { help: 'allow a URL on another machine' },
    after: { value: 'SEQUENCE', help: 'begin after this event, in place of where it was; 0 for the beginning' },
    events: { value: 'TYPES', help: 'only these, between commas; payouts only so', isList: true },
    retries: { value: 'NUMBER', help: `how often to repeat before an event is given up; ${RETRIES}` },
  },
  async run(context) {
    const forwardTo = readTarget(context);
    const profile = await context.profile();
    const path = positionPath(profile, forwardTo);
    const unlock = await lockPosition(path);
    try {
      const kept = await readPosition(path, forwardTo);
      await follow(context, path, { ...kept, after: context.count('after') ?? kept.after });
    } finally {
      await unlock();
    }
  },
};

/** Where to forward: customers' data leaves this machine only if it is said. */
function readTarget({ text, isOn }: Context): string {
  const given = text('forward-to');
  const url = given !== undefined && URL.canParse(given) ? new URL(given) : null;
  if (url === null || !/^https?:$/.test(url.protocol))
    throw usage('listen needs --forward-to and an http or https URL');
  if (url.username !== '' || url.password !== '')
    throw unsafe('leave the user name and the password out of the URL: what is forwarded is signed');
  if (!isLoopback(url.hostname) && !isOn('allow-remote'))
    throw unsafe(
      `${url.hostname} is another machine: events hold customers' data; say --allow-remote to send them there`,
    );
  return url.href;
}

function readTypes({ texts }: Context): ReadonlySet<string> {
  const named = texts('events');
  const known: readonly string[] = [...USUAL_TYPES, ...PAYOUT_TYPES];
  const unknown = named.find((type) => !known.includes(type));
  if (unknown !== undefined) throw usage(`${unknown} is not sent as a webhook; there are: ${known.join(', ')}`);
  return new Set(named.length > 0 ? named : USUAL_TYPES);
}

async function follow(context: Context, path: string, from: Position): Promise<void> {
  const { terminal, signal, profileName } = context;
  const types = readTypes(context);
  const client = await context.client();
  const secret = process.env['TURNPIKE_WEBHOOK_SECRET'] || from.secret;
  if (!secret.startsWith('whsec_')) throw usage('TURNPIKE_WEBHOOK_SECRET is no webhook secret: whsec_…');
  const after = from.after ?? (await newestSequence(client, signal));
  const keep = (sequence: number): Promise<void> => keepPosition(path, { ...from, after: sequence });
  await keep(after);
  const forwarding: Forwarding = { url: from.forwardTo, secret, retries: context.count('retries') ?? RETRIES, signal };
  // A secret from the environment is known to the one who set it, and is not shown.
  const shown = secret === from.secret ? secret : null;
  const text = `Forwarding to ${from.forwardTo} after event ${after}. Webhook secret: ${shown ?? 'TURNPIKE_WEBHOOK_SECRET'}`;
  terminal.show({ listening: true, forwardTo: from.forwardTo, after, secret: shown }, text);
  for await (const event of client.live.events({ after, signal })) {
    const body = bodyOf(event, types, profileName);
    if (body !== null)
      await forward(forwarding, { eventId: event.id, body }, (outcome) => tell(context, event, outcome));
    await keep(event.sequence);
  }
}

function tell({ terminal }: Context, { sequence, id, type }: Event, outcome: Outcome): void {
  const { attempt, status, error, durationMs, isTaken, nextInMs } = outcome;
  const isGivenUp = !isTaken && nextInMs === null;
  const next = nextInMs === null ? '' : `, again in ${nextInMs / 1_000} s`;
  const end = isGivenUp ? `, GIVEN UP after ${attempt} attempts: listen --after ${sequence - 1} sends it again` : next;
  const text = `${sequence}  ${type}  ${id}  → ${status ?? error ?? ''}  ${durationMs} ms${end}`;
  terminal.show({ sequence, id, type, attempt, status, error, durationMs, isTaken, isGivenUp, nextInMs }, text);
}
