// GraphQL query of a merchant's event log, for merchants that missed a webhook or use none.

import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { findEvents, withoutPayouts } from '../domain/events/event-log.ts';
import { awaitNumbers } from '../domain/events/read-your-writes.ts';
import { callerOf, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';
import { EventPage, EventsArgs } from './types/event.ts';
import { DEFAULT_PAGE } from './types/page.ts';

@Resolver()
export class EventResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_PAYMENTS')
  @Query(() => EventPage, { description: 'The event log after a sequence number, oldest first, without gaps.' })
  async events(@Args(() => EventsArgs) { after, first }: EventsArgs, @Ctx() context: Context): Promise<EventPage> {
    const part = { after: after ?? 0, limit: first ?? DEFAULT_PAGE };
    const { deps } = this.services;
    const { merchantId, permissions } = callerOf(context);
    await awaitNumbers(deps, merchantId);
    const page = await findEvents(deps, merchantId, part);
    return permissions.has('WITHDRAW') ? page : { ...page, items: page.items.map(withoutPayouts) };
  }
}
