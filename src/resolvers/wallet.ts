// GraphQL query of a merchant's balances, from the ledger.

import { readAnywhere } from '../database/read-source.ts';
import { Ctx, Field, ObjectType, Query, Resolver } from 'type-graphql';
import { readBalances } from '../domain/ledger/ledger.ts';
import { formatAmount } from '../values/amount.ts';
import { assetOf } from '../values/assets.ts';
import { callerOf, Needs, type Context } from './operation/context.ts';
import type { Services } from './services.ts';

@ObjectType({ description: 'A balance in one asset. Amounts are decimal strings.', simpleResolvers: true })
export class WalletBalance {
  @Field(() => String, { description: 'The currency code.' })
  declare currency: string;

  @Field(() => String, { description: 'The canonical network code.' })
  declare network: string;

  @Field(() => String, { description: 'What can be withdrawn or refunded.' })
  declare available: string;

  @Field(() => String, { description: 'Seen on the chain and not yet confirmed, before the fee.' })
  declare pending: string;

  @Field(() => String, { description: 'Set aside for withdrawals and refunds under way.' })
  declare reserved: string;
}

@Resolver()
export class WalletResolver {
  constructor(private readonly services: Services) {}

  @Needs('READ_WALLET')
  @Query(() => [WalletBalance], { description: 'The balances of every asset that ever moved.' })
  async walletBalances(@Ctx() context: Context): Promise<WalletBalance[]> {
    const { merchantId } = callerOf(context);
    const balances = await readAnywhere(this.services.deps.db, ({ em }) => readBalances(em, merchantId));
    return balances.map((balance) => {
      const { decimals } = assetOf(balance);
      return {
        currency: balance.currency,
        network: balance.network,
        available: formatAmount(balance.available, decimals),
        pending: formatAmount(balance.pending, decimals),
        reserved: formatAmount(balance.reserved, decimals),
      };
    });
  }
}
