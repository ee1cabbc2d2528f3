// `events …`: the event log, and sending one of it again.

import type { Command } from '../command.ts';

const list: Command = {
  name: 'events list',
  summary: 'list the event log, oldest first',
  options: {
    after: { value: 'SEQUENCE', help: 'only those after this one; 0' },
    limit: { value: 'NUMBER', help: 'at most so many; 20' },
  },
  async run(context) {
    const limit = context.count('limit') ?? 20;
    const options = { signal: context.signal, limit: Math.min(Math.max(limit, 1), 100) };
    const events = (await context.client()).events.list(context.count('after') ?? 0, options);
    for (const event of await events.toArray(limit)) {
      const about = event.payment?.orderId ?? event.invoice?.invoiceId ?? '';
      context.terminal.show(event, `${event.sequence}  ${event.createdAt}  ${event.type}  ${event.id}  ${about}`);
    }
  },
};

const resend: Command = {
  name: 'events resend',
  operands: 'EVENT',
  summary: 'send an event again, to the endpoints that it goes to',
  details: 'For an event that `listen` gave up: `turnpike listen --after SEQUENCE` begins after the event before it.',
  options: {},
  async run(context) {
    const sent = await (await context.client()).webhooks.resend(context.operand(), { signal: context.signal });
    context.terminal.show(sent, `${sent.event_id}  ${sent.status}`);
  },
};

/** Everything about events. */
export const EVENT_COMMANDS: readonly Command[] = [list, resend];
