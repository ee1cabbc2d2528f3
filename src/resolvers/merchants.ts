// Merchants and access tokens: registration, the exchange of a key, and who a token speaks for.

import { Arg, Args, Ctx, Mutation, Query, Resolver } from 'type-graphql';
import { exchangeKey } from '../access/exchange.ts';
import { hashPassword } from '../access/passwords.ts';
import { readMerchant, registerMerchant } from '../domain/merchants.ts';
import { Merchant } from '../entities/merchant.ts';
import * as checks from '../values/checks.ts';
import { invalid } from '../values/errors.ts';
import { PERMISSIONS } from '../values/permission.ts';
import { answer, callerOf, NeedsToken, onceKey, Throttled, type Context } from './context.ts';
import type { Services } from './services.ts';
import {
  AccessToken,
  CreateMerchantInput,
  CredentialsArgs,
  RegisterMerchantInput,
  Registration,
} from './types/account.ts';

@Resolver()
export class MerchantResolver {
  constructor(private readonly services: Services) {}

  @NeedsToken()
  @Query(() => Merchant, { description: 'The merchant whose token this is.' })
  merchant(@Ctx() context: Context): Promise<Merchant> {
    return readMerchant(this.services.deps, callerOf(context).merchantId);
  }

  @Throttled()
  @Mutation(() => Registration, { description: 'Registers a merchant and makes a first key pair.' })
  async registerMerchant(
    @Arg('input', () => RegisterMerchantInput, { description: 'The merchant to register.' })
    { email, companyName, password }: RegisterMerchantInput,
    @Ctx() context: Context,
  ): Promise<Registration> {
    const fault = checks.passwordIn(this.services.deps.environment)(password);
    if (fault !== null) throw invalid([{ path: 'input.password', message: fault }]);
    const once = onceKey(context, email.toLowerCase(), 'registerMerchant', { email, companyName, password });
    const passwordHash = await hashPassword(password);
    const permissions = ['CREATE_PAYMENTS', 'READ_PAYMENTS'] as const;
    const request = { email, companyName, passwordHash, permissions };
    return answer(context, await registerMerchant(this.services.deps, request, once)) as Registration;
  }

  @Throttled()
  @Mutation(() => AccessToken, { description: 'Exchanges a key id and secret for an access token.' })
  async createAccessToken(
    @Args(() => CredentialsArgs) credentials: CredentialsArgs,
    @Ctx() context: Context,
  ): Promise<AccessToken> {
    const { deps, tokenTtlSeconds: ttlSeconds } = this.services;
    const exchange = { ...deps, em: deps.db.em, ttlSeconds };
    return (await exchangeKey(exchange, credentials, context.ip)) as AccessToken;
  }
}

/** What the sandbox has and live does not. */
@Resolver()
export class SandboxMerchantResolver {
  constructor(private readonly services: Services) {}

  @Throttled()
  @Mutation(() => Registration, {
    description: 'Makes a merchant with a key that holds every permission, for tests. Sandbox only.',
  })
  async createMerchant(
    @Arg('input', () => CreateMerchantInput, { description: 'The merchant to make.' })
    { email, companyName }: CreateMerchantInput,
    @Ctx() context: Context,
  ): Promise<Registration> {
    const once = onceKey(context, email.toLowerCase(), 'createMerchant', { email, companyName });
    const request = { email, companyName, passwordHash: null, permissions: PERMISSIONS };
    return answer(context, await registerMerchant(this.services.deps, request, once)) as Registration;
  }
}
