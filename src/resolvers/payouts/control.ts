// GraphQL operations on what controls payouts: the book of addresses, the policy, and approvals.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import { addAddress, listAddresses, removeFromBook } from '../../domain/payouts/address-book.ts';
import { approvePayout, listAwaiting, rejectPayout } from '../../domain/payouts/approvals.ts';
import { cancelChange, readPolicy, updatePolicy, type PolicyView } from '../../domain/payouts/policy.ts';
import { decimalsFault, readUnits, requireAsset } from '../../domain/requested-amount.ts';
import { formatAmount } from '../../values/amount.ts';
import { assetOf } from '../../values/assets.ts';
import { readRecipient } from '../../domain/payouts/recipient.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import { roomOf, type PayoutRules as Rules } from '../../values/payouts/policy.ts';
import { AlwaysConfirmed, answer, callerOf, idempotencyOf, Needs, NeedsToken, personOf } from '../operation/context.ts';
import type { Context } from '../operation/context.ts';
import { Checked } from '../operation/validation.ts';
import { peopleDeps, type Services } from '../services.ts';
import { PayoutAddress, PayoutPolicy, PayoutPolicyInput, type PayoutLimitInput } from '../types/payout-control.ts';
import { PayoutUnion } from '../types/payout.ts';

@ArgsType()
export class PayoutRecipientArgs {
  @Field(() => String, { description: 'A network code or alias, in any case.' })
  @Checked(checks.text(20))
  declare network: string;

  @Field(() => String, { description: 'The address.' })
  @Checked(checks.text(200))
  declare address: string;
}

@ArgsType()
export class AddPayoutAddressArgs extends PayoutRecipientArgs {
  @Field(() => String, { description: 'Your own name for it: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare label: string;
}

@ArgsType()
export class RejectPayoutArgs {
  @Field(() => ID, { description: 'The id of the withdrawal or refund.' })
  declare id: string;

  @Field(() => String, { description: 'Why, in words: 1 to 255 characters.' })
  @Checked(checks.text(255))
  declare reason: string;
}

@Resolver()
export class PayoutControlResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_WALLET')
  @Query(() => [PayoutAddress], { description: 'The book of payout addresses, newest first, without removed ones.' })
  async payoutAddresses(@Ctx() context: Context): Promise<PayoutAddress[]> {
    return await listAddresses(this.services.deps, callerOf(context).merchantId);
  }

  @Needs('READ_WALLET')
  @Query(() => String, {
    description: 'The address that a payout to this text would go to; 4002 where there is none, as for a withdrawal.',
  })
  async payoutRecipient(@Args(() => PayoutRecipientArgs) { network, address }: PayoutRecipientArgs): Promise<string> {
    return await readRecipient(this.services.deps, network, address);
  }

  @Needs('MANAGE_ADDRESSES')
  @AlwaysConfirmed()
  @Mutation(() => PayoutAddress, { description: 'Adds an address to the book; payouts may go there after the hold.' })
  async addPayoutAddress(
    @Args(() => AddPayoutAddressArgs) args: AddPayoutAddressArgs,
    @Ctx() context: Context,
  ): Promise<PayoutAddress> {
    const actor = personOf(context);
    const { merchantId: scope } = actor;
    const input = { network: args.network, address: args.address, label: args.label };
    const key = idempotencyOf(this.services, context, { scope, operation: 'addPayoutAddress', input });
    return answer(context, await addAddress(this.deps(), actor, input, key));
  }

  @Needs('MANAGE_ADDRESSES')
  @Mutation(() => PayoutAddress, { description: 'Removes an address from the book at once.' })
  async removePayoutAddress(
    @Arg('id', () => ID, { description: 'The id in the book.' }) id: string,
    @Ctx() context: Context,
  ): Promise<PayoutAddress> {
    return await removeFromBook(this.services.deps, personOf(context), id);
  }

  @Needs('READ_WALLET')
  @Query(() => PayoutPolicy, { description: 'The policy of payouts: what holds now, and what will.' })
  async payoutPolicy(@Ctx() context: Context): Promise<PayoutPolicy> {
    return show(await readPolicy(this.services.deps, callerOf(context).merchantId));
  }

  @Needs('MANAGE_POLICY')
  @AlwaysConfirmed()
  @Mutation(() => PayoutPolicy, {
    description: 'Changes the policy: what is tighter holds at once, what is looser after the hold.',
  })
  async updatePayoutPolicy(
    @Arg('input', () => PayoutPolicyInput, { description: 'The change.' }) input: PayoutPolicyInput,
    @Ctx() context: Context,
  ): Promise<PayoutPolicy> {
    const { limits, ...rest } = input;
    const change = limits == null ? rest : { ...rest, limits: readLimits(limits) };
    return show(await updatePolicy(this.deps(), personOf(context), change));
  }

  @Needs('MANAGE_POLICY')
  @Mutation(() => PayoutPolicy, { description: 'Drops the change of the policy that waits.' })
  async cancelPolicyChange(@Ctx() context: Context): Promise<PayoutPolicy> {
    return show(await cancelChange(this.services.deps, personOf(context)));
  }

  @Needs('APPROVE_PAYOUTS')
  @Query(() => [PayoutUnion], { description: 'Withdrawals and refunds that wait for an approval, oldest first.' })
  async payoutsAwaitingApproval(@Ctx() context: Context): Promise<(typeof PayoutUnion)[]> {
    return await listAwaiting(this.services.deps, callerOf(context).merchantId);
  }

  @NeedsToken()
  @AlwaysConfirmed()
  @Mutation(() => Boolean, { description: 'Approves a withdrawal or refund that somebody else requested.' })
  async approvePayout(
    @Arg('id', () => ID, { description: 'The id of the withdrawal or refund.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await approvePayout(this.services.deps, approverOf(context), id);
    return true;
  }

  @NeedsToken()
  @Mutation(() => Boolean, {
    description: 'Rejects a withdrawal or refund that waits, as an approver or as the one who requested it.',
  })
  async rejectPayout(
    @Args(() => RejectPayoutArgs) { id, reason }: RejectPayoutArgs,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const { permissions } = callerOf(context);
    await rejectPayout(this.services.deps, approverOf(context), permissions, { id, reason });
    return true;
  }

  private deps() {
    return { ...this.services.deps, ...peopleDeps(this.services) };
  }
}

/**
 * The person who decides. Whether they may is judged with the payout: those who requested it may reject it, and are
 * told that somebody else has to approve it. Errors: 1004 for a key.
 */
function approverOf(context: Context) {
  if (callerOf(context).keyId !== null)
    throw new GatewayError('MISSING_PERMISSION', { message: 'Missing permission: APPROVE_PAYOUTS' });
  return personOf(context);
}

/** Reads limits in base units. Errors: 3001; 2001 for an asset that is named twice, and for its decimals. */
function readLimits(limits: readonly PayoutLimitInput[]) {
  const named = new Set<string>();
  return limits.map(({ perPayout, perDay, approvalAbove, ...names }, nth) => {
    const asset = requireAsset(names.currency, names.network);
    const { currency, network } = asset;
    if (named.has(`${currency}/${network}`))
      throw invalid([{ path: `input.limits.${String(nth)}`, message: 'names an asset that another limit names' }]);
    named.add(`${currency}/${network}`);
    const units = (name: string, text: string | null | undefined) => {
      const fault = text == null ? null : decimalsFault('REFUND', asset, text);
      if (fault !== null) throw invalid([{ path: `input.limits.${String(nth)}.${name}`, message: fault }]);
      return text == null ? null : readUnits('REFUND', asset, text);
    };
    return {
      ...{ currency, network, perPayout: units('perPayout', perPayout), perDay: units('perDay', perDay) },
      approvalAbove: units('approvalAbove', approvalAbove),
    };
  });
}

function show({ version, inForce, pending, pendingFrom, uses }: PolicyView): PayoutPolicy {
  return { version, inForce: showRules(inForce, uses), pending: pending && showRules(pending, []), pendingFrom };
}

function showRules({ limits, ...flags }: Rules, uses: PolicyView['uses']) {
  return {
    ...flags,
    limits: limits.map(({ currency, network, perPayout, perDay, approvalAbove }, nth) => {
      const { decimals } = assetOf({ currency, network });
      const text = (units: bigint | null) => (units === null ? null : formatAmount(units, decimals));
      const use = uses[nth] ?? null;
      const room = perDay === null || use === null ? null : roomOf(perDay, use);
      const amounts = { perPayout: text(perPayout), perDay: text(perDay), approvalAbove: text(approvalAbove) };
      return { currency, network, ...amounts, room: text(room) };
    }),
  };
}
