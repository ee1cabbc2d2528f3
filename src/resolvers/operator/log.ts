// The GraphQL operation by which operators see what was done.

import { Args, Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { GraphQLJSONObject } from 'graphql-scalars';
import { readOperatorLog } from '../../domain/operator/log.ts';
import { NeedsOperator, type Context } from '../operation/context.ts';
import { openPage, toConnection } from '../pagination.ts';
import type { Services } from '../services.ts';
import { PageArgs, PageInfo } from '../types/page.ts';
import { actingOperator } from './operator.ts';

@ObjectType({ description: 'What an operator did.', simpleResolvers: true })
export class OperatorLogEntry {
  @Field(() => ID, { description: 'Its id, `opl_…`.' })
  declare id: string;

  @Field(() => Date, { description: 'When.' })
  declare at: Date;

  @Field(() => String, { description: 'Who: an e-mail address, or the name given on the command line.' })
  declare actor: string;

  @Field(() => String, { description: 'What, such as `PAYOUTS_FROZEN`.' })
  declare action: string;

  @Field(() => String, { nullable: true, description: 'The id of what it was done to.' })
  declare target: string | null;

  @Field(() => GraphQLJSONObject, { description: 'More of it, in plain values.' })
  declare details: Readonly<Record<string, unknown>>;
}

@ObjectType({ description: 'An entry in a list.', simpleResolvers: true })
export class OperatorLogEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => OperatorLogEntry, { description: 'The entry.' })
  declare node: OperatorLogEntry;
}

@ObjectType({ description: "A page of the operator's log, newest first.", simpleResolvers: true })
export class OperatorLogConnection {
  @Field(() => [OperatorLogEdge], { description: 'The entries with their cursors.' })
  declare edges: OperatorLogEdge[];

  @Field(() => [OperatorLogEntry], { description: 'The entries.' })
  declare nodes: OperatorLogEntry[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

@Resolver()
export class OperatorLogResolver {
  constructor(private readonly services: Services) {}

  @NeedsOperator()
  @Query(() => OperatorLogConnection, { description: 'What operators did, newest first.' })
  async operatorLog(@Args(() => PageArgs) args: PageArgs, @Ctx() context: Context): Promise<OperatorLogConnection> {
    const page = openPage(this.services, 'operatorLog', args);
    const { limit, before } = page;
    const found = await readOperatorLog(actingOperator(this.services, context), { limit, before });
    return toConnection(found.nodes, found.hasMore, page);
  }
}
