// GraphQL operations that control the sandbox's test chain (contract, section 10): they move the chain, the watcher
// sees it.

import { Arg, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { expireInvoice, expireQuote } from '../domain/invoices/end-invoice.ts';
import { depositOnTestChain, mineOnTestChain, reorgTestChain } from '../domain/test-chain.ts';
import { expireNow } from '../domain/payments/read-and-cancel.ts';
import * as checks from '../values/checks.ts';
import { callerOf, GoesOn, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';
import { Invoice } from './types/invoice.ts';
import { Payment } from './types/payment.ts';
import { Checked } from './operation/validation.ts';

@InputType({ description: 'A deposit to make on the test chain.' })
export class SimulateDepositInput {
  @Field(() => ID, { description: 'The order to pay.' })
  declare paymentId: string;

  @Field(() => String, { nullable: true, description: 'A decimal string; what is still due, if left out.' })
  @Checked(checks.amount)
  declare amount?: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Blocks mined on top of the including one; -1 broadcasts only; enough to finish, if left out.',
  })
  @Checked(checks.whole(-1, 1_000))
  declare confirmations?: number | null;
}

@InputType({ description: 'Blocks to mine on the test chain.' })
export class MineBlocksInput {
  @Field(() => String, { description: 'The network code.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => Int, { description: 'How many: 1 to 1,000.' })
  @Checked(checks.whole(1, 1_000))
  declare count: number;
}

@InputType({ description: 'A reorganisation of the test chain.' })
export class SimulateReorgInput {
  @Field(() => String, { description: 'The network code.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => Int, { description: 'How many of the newest blocks are replaced by as many empty ones plus one.' })
  @Checked(checks.whole(1, 1_000))
  declare depth: number;
}

@ObjectType({ description: 'The tip of the test chain.', simpleResolvers: true })
export class TestChain {
  @Field(() => String, { description: 'The network code.' })
  declare network: string;

  @Field(() => Int, { description: 'The height of its newest block.' })
  declare tip: number;
}

@Resolver()
export class SandboxResolver {
  constructor(private readonly services: Services) {}

  @Needs('CREATE_PAYMENTS')
  @GoesOn()
  @Mutation(() => Payment, { description: 'Pays an order from the faucet with a real transaction. Sandbox only.' })
  async simulateDeposit(
    @Arg('input', () => SimulateDepositInput, { description: 'The deposit to make.' }) input: SimulateDepositInput,
    @Ctx() context: Context,
  ): Promise<Payment> {
    const { deps, simulations } = this.services;
    return await depositOnTestChain(deps, simulations, callerOf(context).merchantId, input);
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Payment, {
    description: 'Ends the time of an order now; the ordinary expiry does the rest. Sandbox only.',
  })
  async expirePayment(
    @Arg('id', () => ID, { description: 'The order id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Payment> {
    return await expireNow(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Invoice, {
    description: 'Ends the time of an invoice and of its quotes now; the ordinary expiry does the rest. Sandbox only.',
  })
  async expireInvoice(
    @Arg('id', () => ID, { description: 'The invoice id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    return await expireInvoice(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('CREATE_PAYMENTS')
  @Mutation(() => Invoice, { description: "Ends the time of a quote's rate now. Sandbox only." })
  async expireQuote(
    @Arg('id', () => ID, { description: 'The order id of its payment.' }) id: string,
    @Ctx() context: Context,
  ): Promise<Invoice> {
    return await expireQuote(this.services.deps, callerOf(context).merchantId, id);
  }

  @Needs('CREATE_PAYMENTS')
  @GoesOn()
  @Mutation(() => TestChain, { description: 'Mines blocks. Sandbox only.' })
  mineBlocks(
    @Arg('input', () => MineBlocksInput, { description: 'What to mine, and where.' })
    { network, count }: MineBlocksInput,
  ): Promise<TestChain> {
    return mineOnTestChain(this.services.deps, this.services.simulations, network, count);
  }

  @Needs('CREATE_PAYMENTS')
  @GoesOn()
  @Mutation(() => TestChain, { description: 'Replaces the newest blocks by empty ones. Sandbox only.' })
  simulateReorg(
    @Arg('input', () => SimulateReorgInput, { description: 'What to replace, and where.' })
    { network, depth }: SimulateReorgInput,
  ): Promise<TestChain> {
    return reorgTestChain(this.services.deps, this.services.simulations, network, depth);
  }
}
