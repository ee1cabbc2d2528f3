// GraphQL types of what operators do with money.

import { Field, ID, InputType, ObjectType } from 'type-graphql';
import { ActionKindEnum, ActionStatusEnum, type ActionKind, type ActionStatus } from '../../entities/action-enums.ts';
import * as checks from '../../values/checks.ts';
import { Checked } from '../operation/validation.ts';
import { PageInfo } from '../types/page.ts';
import { reasonCheck } from './types.ts';

@ObjectType({
  description: "The gateway's own money in one asset. Amounts are decimal strings.",
  simpleResolvers: true,
})
export class GatewayFunds {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'What was earned, less what was paid out.' })
  declare fees: string;

  @Field(() => String, { description: 'How much of it may be paid out: no more than is left after costs.' })
  declare withdrawable: string;

  @Field(() => String, { description: 'What the chain holds and the book does not explain; negative if it lacks it.' })
  declare suspense: string;
}

@ObjectType({ description: 'What an operator did with money, or wants to.', simpleResolvers: true })
export class OperatorAction {
  @Field(() => ID, { description: 'Its id, `act_…`.' })
  declare id: string;

  @Field(() => ActionKindEnum, { description: 'What it does.' })
  declare kind: ActionKind;

  @Field(() => ActionStatusEnum, { description: 'Where it stands.' })
  declare status: ActionStatus;

  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'How much, a decimal string; negative for a loss that is written off.' })
  declare amount: string;

  @Field(() => ID, { nullable: true, description: 'The payout or payment that it is about, or the payout it made.' })
  declare target: string | null;

  @Field(() => String, { description: 'Why.' })
  declare reason: string;

  @Field(() => String, { description: "Who asked: a person's id, or the name given on the command line." })
  declare requestedBy: string;

  @Field(() => String, { nullable: true, description: 'Who approved or rejected it; null if nobody had to, or yet.' })
  declare decidedBy: string | null;

  @Field(() => Date, { description: 'When it was asked for.' })
  declare createdAt: Date;
}

@ObjectType({ description: 'An action in a list.', simpleResolvers: true })
export class OperatorActionEdge {
  @Field(() => String, { description: 'Its cursor: the list goes on after it.' })
  declare cursor: string;

  @Field(() => OperatorAction, { description: 'The action.' })
  declare node: OperatorAction;
}

@ObjectType({ description: 'A page of actions, newest first.', simpleResolvers: true })
export class OperatorActionConnection {
  @Field(() => [OperatorActionEdge], { description: 'The actions with their cursors.' })
  declare edges: OperatorActionEdge[];

  @Field(() => [OperatorAction], { description: 'The actions.' })
  declare nodes: OperatorAction[];

  @Field(() => PageInfo, { description: 'Where this page stands.' })
  declare pageInfo: PageInfo;
}

@InputType({ description: 'Money in suspense, and where it goes.' })
export class SuspenseInput {
  @Field(() => ID, { nullable: true, description: 'The payment whose merchant is credited; for credits alone.' })
  declare paymentId?: string | null;

  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'A currency code, in any case.' })
  @Checked(checks.text(20))
  declare currency: string;

  @Field(() => String, { description: 'A decimal string; a leading minus writes off a loss.' })
  @Checked(checks.text(100))
  declare amount: string;

  @Field(() => String, { description: 'Why: 1 to 255 characters.' })
  @Checked(reasonCheck)
  declare reason: string;
}
