// GraphQL queries by which operators see what stands still: networks, and payouts that are stuck.

import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import { readHealth } from '../../domain/operator/network-health.ts';
import { listStuckPayouts } from '../../domain/operator/payouts.ts';
import { NeedsOperator, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';
import { PayoutUnion } from '../types/payout.ts';
import { actingOperator } from './operator.ts';

@ObjectType({ description: 'The health of a network, as this process sees it.', simpleResolvers: true })
export class NetworkHealth {
  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => Boolean, { description: 'Whether its node answers, and is the right one.' })
  declare available: boolean;

  @Field(() => Int, { nullable: true, description: "The height of the node's last block; null if it does not answer." })
  declare tip: number | null;

  @Field(() => Date, { nullable: true, description: 'When that block was made.' })
  declare tipAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'The height up to which it was read; null for nothing yet.' })
  declare observed: number | null;

  @Field(() => [String], { description: 'What the hot wallet holds, such as `12.5 USDT`; nothing if that is unknown.' })
  declare hot: string[];

  @Field(() => String, { nullable: true, description: 'What the gas wallet holds; null without one, or if unknown.' })
  declare gas: string | null;

  @Field(() => Int, { description: 'Payouts that wait for a transaction.' })
  declare payoutsDue: number;

  @Field(() => Date, { nullable: true, description: 'Since when the oldest of them waits; null for none.' })
  declare oldestDueAt: Date | null;
}

@Resolver()
export class OperatorHealthResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => [NetworkHealth], { description: 'Each network: its node, the wallets, and what waits.' })
  async networkHealth(@Ctx() context: Context): Promise<NetworkHealth[]> {
    const { deps, operators } = this.services;
    const adapters = [...deps.chains.values()].map(({ adapter }) => adapter);
    const asked = { adapters, stuckAfterMinutes: operators.stuckAfterMinutes };
    const { networks } = await readHealth(actingOperator(this.services, context), asked);
    return networks.map(({ network, available, tip, tipAt, observed, hot, gas, payoutsDue, oldestDueAt }) => ({
      ...{ network, available: available === true, tip, tipAt, observed, payoutsDue, oldestDueAt },
      hot: [...(hot?.holds ?? [])],
      gas: gas?.holds?.join(', ') ?? null,
    }));
  }

  @NeedsOperator()
  @Query(() => [PayoutUnion], {
    description: 'Withdrawals and refunds that are under way for too long, oldest first, at most 500.',
  })
  async stuckPayouts(@Ctx() context: Context): Promise<(typeof PayoutUnion)[]> {
    const { stuckAfterMinutes } = this.services.operators;
    return await listStuckPayouts(actingOperator(this.services, context), stuckAfterMinutes);
  }
}
