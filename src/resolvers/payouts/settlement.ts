// GraphQL operations on rules of settlement.

import { Arg, Ctx, ID, Mutation, Query, Resolver } from 'type-graphql';
import { deleteRule, listRules, saveRule, type RuleToSave } from '../../domain/payouts/settlement-rules.ts';
import { decimalsFault, requireAsset } from '../../domain/requested-amount.ts';
import { parseAmount } from '../../values/amount.ts';
import { invalid, type Fault } from '../../values/errors.ts';
import { settlementFaults } from '../../values/payouts/settlement.ts';
import {
  AlwaysConfirmed,
  answer,
  callerOf,
  idempotencyOf,
  Needs,
  NeedsOfPeople,
  personOf,
  type Context,
} from '../operation/context.ts';
import type { Services } from '../services.ts';
import { SettlementInput, SettlementRule } from '../types/payout-control.ts';

@Resolver()
export class SettlementResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_WALLET')
  @Query(() => [SettlementRule], { description: 'The rules of settlement, by asset.' })
  async settlementRules(@Ctx() context: Context): Promise<SettlementRule[]> {
    return await listRules(this.services.deps, callerOf(context).merchantId);
  }

  @Needs('MANAGE_ADDRESSES')
  @NeedsOfPeople('WITHDRAW')
  @AlwaysConfirmed()
  @Mutation(() => SettlementRule, { description: 'Saves the rule of an asset, in place of the one that it has.' })
  async saveSettlementRule(
    @Arg('input', () => SettlementInput, { description: 'The rule.' }) input: SettlementInput,
    @Ctx() context: Context,
  ): Promise<SettlementRule> {
    const actor = personOf(context);
    const { merchantId: scope } = actor;
    const once = idempotencyOf(this.services, context, { scope, operation: 'saveSettlementRule', input });
    return answer(context, await saveRule(this.services.deps, actor, readRule(input), once));
  }

  @Needs('MANAGE_ADDRESSES')
  @NeedsOfPeople('WITHDRAW')
  @AlwaysConfirmed()
  @Mutation(() => Boolean, { description: 'Removes a rule; withdrawals that it asked for go on.' })
  async deleteSettlementRule(
    @Arg('id', () => ID, { description: 'The id of the rule.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await deleteRule(this.services.deps, personOf(context), id);
    return true;
  }
}

/** Reads a rule with amounts in base units. Errors: 3001, 2001 for decimals, and hours and days that do not fit. */
function readRule({ currency, network, ...input }: SettlementInput): RuleToSave {
  const asset = requireAsset(currency, network);
  const { addressId, schedule, threshold, keep = null, hour = null, day = null, enabled } = input;
  const faults: Fault[] = settlementFaults({ schedule, hour, day }).map(({ field, message }) => ({
    ...{ path: `input.${field}`, message },
  }));
  const units = (name: string, text: string): bigint => {
    const message = decimalsFault('WITHDRAWAL', asset, text);
    if (message !== null) faults.push({ path: `input.${name}`, message });
    return parseAmount(text, asset.decimals) ?? 0n;
  };
  const amounts = { threshold: units('threshold', threshold), keep: units('keep', keep ?? '0') };
  if (faults.length > 0) throw invalid(faults);
  return { asset, addressId, ...amounts, schedule, hour, day, enabled: enabled ?? true };
}
