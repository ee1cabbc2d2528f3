// The GraphQL query by which operators see all cells of a deployment.

import { Ctx, Field, Int, ObjectType, Query, Resolver } from 'type-graphql';
import type { ReportedCell } from '../../database/queries/cells/directory.ts';
import { listCells } from '../../domain/operator/cells.ts';
import { ownCell } from '../../values/cells/own-cell.ts';
import { NeedsOperator, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';
import { actingOperator } from './operator.ts';

@ObjectType({
  description: 'A cell, as it reported itself last. What the release that it runs does not report is null.',
  simpleResolvers: true,
})
export class OperatorCell {
  @Field(() => Int, { description: 'Its number, 0 to 999.' })
  declare cell: number;

  @Field(() => String, { description: 'Its base URL.' })
  declare url: string;

  @Field(() => Boolean, { description: 'Whether it is the one that answers this.' })
  declare isThis: boolean;

  @Field(() => Date, { nullable: true, description: 'When it reported last: each minute. Null if it never did.' })
  declare reportedAt: Date | null;

  @Field(() => String, { nullable: true, description: 'The release that it runs.' })
  declare version: string | null;

  @Field(() => Int, { nullable: true, description: 'Its merchants.' })
  declare merchants: number | null;

  @Field(() => Int, { nullable: true, description: 'Payouts that wait for a transaction.' })
  declare payoutsDue: number | null;

  @Field(() => Int, { nullable: true, description: 'Payouts that are under way for too long.' })
  declare payoutsStuck: number | null;

  @Field(() => [String], { nullable: true, description: 'The networks whose signing is halted.' })
  declare halted: string[] | null;

  @Field(() => Int, { nullable: true, description: 'For how many seconds the first event has waited to be sent on.' })
  declare eventsWait: number | null;

  @Field(() => Date, { nullable: true, description: 'When its ledger was checked last.' })
  declare ledgerCheckedAt: Date | null;

  @Field(() => Int, { nullable: true, description: 'How many of the rules of its ledger were broken then.' })
  declare ledgerFaults: number | null;
}

@Resolver()
export class OperatorCellResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => [OperatorCell], {
    description:
      'All cells of the deployment, as each reported itself to the directory of cells; none without a directory. 503/9503 while it is away.',
  })
  async operatorCells(@Ctx() context: Context): Promise<OperatorCell[]> {
    const cells = await listCells(actingOperator(this.services, context), this.services.deps.directory);
    return cells.map(viewOf);
  }
}

/** Another cell may run another release: what is not as this one would write it is left out. */
function viewOf({ cell, url, reportedAt, report }: ReportedCell): OperatorCell {
  const { version, halted, ledgerCheckedAt } = report ?? {};
  const checkedAt = new Date(typeof ledgerCheckedAt === 'string' ? ledgerCheckedAt : Number.NaN);
  const count = (name: string): number | null => {
    const value = report?.[name];
    return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : null;
  };
  return {
    ...{ cell, url, reportedAt, isThis: cell === ownCell()?.cell },
    version: typeof version === 'string' ? version : null,
    merchants: count('merchants'),
    payoutsDue: count('payoutsDue'),
    payoutsStuck: count('payoutsStuck'),
    halted: Array.isArray(halted) ? halted.map(String) : null,
    eventsWait: count('eventsWait'),
    ledgerCheckedAt: Number.isNaN(checkedAt.getTime()) ? null : checkedAt,
    ledgerFaults: count('ledgerFaults'),
  };
}
