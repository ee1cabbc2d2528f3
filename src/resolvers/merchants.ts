// GraphQL operations on merchants and access tokens: registration, key exchange, and the merchant of a token.

import { Arg, Args, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { exchangeKey } from '../access/exchange.ts';
import { hashPassword } from '../access/passwords.ts';
import { readMerchant } from '../domain/merchants/merchant.ts';
import { registerMerchant } from '../domain/people/register.ts';
import { Merchant } from '../entities/merchant.ts';
import * as checks from '../values/checks.ts';
import { invalid } from '../values/errors.ts';
import { PERMISSIONS } from '../values/permission.ts';
import {
  answer,
  callerOf,
  NeedsToken,
  idempotencyOf,
  Registers,
  Throttled,
  type Context,
} from './operation/context.ts';
import { browserOf } from './people/sign-in.ts';
import { invitationOf, type Services } from './services.ts';
import {
  AccessToken,
  CreateMerchantInput,
  CredentialsArgs,
  RegisterMerchantInput,
  Registration,
} from './types/account.ts';
import { AcceptedAsset } from './types/invoice.ts';

@Resolver(() => Merchant)
export class MerchantResolver {
  constructor(private readonly services: Services) {}

  @NeedsToken()
  @Query(() => Merchant, { description: 'The merchant whose token this is.' })
  merchant(@Ctx() context: Context): Promise<Merchant> {
    return readMerchant(this.services.deps, callerOf(context).merchantId);
  }

  @FieldResolver(() => [AcceptedAsset], {
    nullable: true,
    description: 'What their invoices may be paid in; null: all that is taken here.',
  })
  acceptedAssets(@Root() { acceptedAssets }: Merchant): readonly AcceptedAsset[] | null {
    return acceptedAssets ?? null;
  }

  @Throttled()
  @Registers()
  @Mutation(() => Registration, { description: 'Registers a merchant and makes a first key pair.' })
  async registerMerchant(
    @Arg('input', () => RegisterMerchantInput, { description: 'The merchant to register.' })
    { email, companyName, password, invitation = null }: RegisterMerchantInput,
    @Ctx() context: Context,
  ): Promise<Registration> {
    const fault = checks.passwordIn(this.services.deps.environment)(password);
    if (fault !== null) throw invalid([{ path: 'input.password', message: fault }]);
    // The password is not part of what a repeat is compared by, so nothing stored can confirm a guess at it; nor is the
    // invitation, which a repeat finds used.
    const asked = { scope: email.toLowerCase(), operation: 'registerMerchant', input: { email, companyName } };
    const idempotency = idempotencyOf(this.services, context, asked);
    const passwordHash = await hashPassword(password);
    const permissions = ['CREATE_PAYMENTS', 'READ_PAYMENTS'] as const;
    const browser = browserOf(context);
    const invitationId = invitationOf(this.services, invitation);
    const request = { email, companyName, passwordHash, permissions, device: browser?.device ?? null, invitationId };
    const registered = await registerMerchant(this.services.deps, request, idempotency);
    if (!registered.replayed) await this.rememberAddress(email, context);
    if (!registered.replayed) browser?.keep(false);
    return answer(context, registered) as Registration;
  }

  /** Never throws: the merchant exists now, and only this answer shows their secret. */
  private async rememberAddress(email: string, { ip, requestId }: Context): Promise<void> {
    const { attempts, deps } = this.services;
    try {
      await attempts.rememberAddress({ email, ip });
    } catch (err) {
      deps.log.error({ err, requestId }, 'where a merchant registered from was not remembered');
    }
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

/** Operations that exist only in the sandbox. */
@Resolver()
export class SandboxMerchantResolver {
  constructor(private readonly services: Services) {}

  @Throttled()
  @Registers()
  @Mutation(() => Registration, {
    description: 'Makes a merchant with a key that holds every permission, for tests. Sandbox only.',
  })
  async createMerchant(
    @Arg('input', () => CreateMerchantInput, { description: 'The merchant to make.' })
    { email, companyName, invitation = null }: CreateMerchantInput,
    @Ctx() context: Context,
  ): Promise<Registration> {
    const asked = { scope: email.toLowerCase(), operation: 'createMerchant', input: { email, companyName } };
    const idempotency = idempotencyOf(this.services, context, asked);
    const invitationId = invitationOf(this.services, invitation);
    const request = { email, companyName, passwordHash: null, permissions: PERMISSIONS, invitationId };
    return answer(context, await registerMerchant(this.services.deps, request, idempotency)) as Registration;
  }
}
