// GraphQL operations on signing in by a provider of identities: whether there is one, and one's own identities there.

import { Arg, Ctx, Field, ID, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import { removeIdentity } from '../../domain/people/identities.ts';
import { readOffer } from '../../domain/people/invitation-offer.ts';
import { askToAccept, askToLink, newVisitSecret } from '../../domain/people/provider-visits.ts';
import { RegistrationModeEnum, type RegistrationMode } from '../../entities/enums.ts';
import { GatewayError, invalid } from '../../values/errors.ts';
import type { IdentityProvider } from '../../values/identity-provider.ts';
import { readLinkSecret } from '../../values/secrets/mail-links.ts';
import { AlwaysConfirmed, NeedsPerson, personOf, Throttled, type Context } from '../operation/context.ts';
import type { Services } from '../services.ts';
import { Challenge } from '../types/factors.ts';
import { startPathOf } from './sign-in.ts';

@ObjectType({ description: 'How people come to sign in here.', simpleResolvers: true })
export class SignInOptions {
  @Field(() => RegistrationModeEnum, { description: 'Who may register a merchant.' })
  declare registration: RegistrationMode;

  @Field(() => String, {
    nullable: true,
    description: 'What the provider is called by which one may sign in; null without one.',
  })
  declare oidcName: string | null;
}

@Resolver()
export class IdentityResolver {
  constructor(private readonly services: Services) {}

  @Query(() => SignInOptions, { description: 'How one signs in and registers here. Anybody may ask.' })
  signInOptions(): SignInOptions {
    const { registration, provider } = this.services;
    return { registration: registration.toUpperCase() as RegistrationMode, oidcName: provider?.name ?? null };
  }

  @NeedsPerson()
  @AlwaysConfirmed()
  @Mutation(() => Challenge, {
    description:
      'Begins to link an account at the provider: the browser of this session goes to `startPath` within five minutes. Whoever signs in there becomes a way in for you.',
  })
  async startOidc(@Ctx() context: Context): Promise<Challenge> {
    requireProvider(this.services);
    return asked(await askToLink(this.services.deps, personOf(context)));
  }

  @Throttled()
  @Mutation(() => Challenge, {
    description:
      'Begins to accept an invitation with an account at the provider, in place of a password: the browser goes to `startPath` within five minutes. For pages of the console, whose cookies tie it to the browser.',
  })
  async startOidcInvitation(
    @Arg('token', () => String, { description: 'The secret from the link.' }) token: string,
    @Ctx() { cookie }: Context,
  ): Promise<Challenge> {
    requireProvider(this.services);
    const { deps } = this.services;
    const id = readLinkSecret(deps.secrets.linkKey, token);
    // One to register a merchant has no role, and is used by registering.
    if (id === null || (await readOffer(deps, id))?.role == null) throw new GatewayError('NOT_FOUND');
    if (cookie?.keepVisit === undefined)
      throw invalid([{ path: '', message: 'Send Turnpike-Session: cookie, from a page of the console' }]);
    const browser = cookie.visit ?? newVisitSecret();
    cookie.keepVisit(browser);
    return asked(await askToAccept(deps, id, browser));
  }

  @NeedsPerson()
  @AlwaysConfirmed()
  @Mutation(() => Boolean, {
    description: 'Unlinks an account at a provider. The last way in stays (2011).',
  })
  async removeIdentity(
    @Arg('id', () => ID, { description: 'The id of the identity.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    const { deps, provider } = this.services;
    await removeIdentity(deps, personOf(context), { id, issuer: provider?.issuer ?? null });
    return true;
  }
}

function requireProvider({ provider }: Services): IdentityProvider {
  if (provider === null) throw new GatewayError('NOT_FOUND', { message: 'Nobody signs in by a provider here' });
  return provider;
}

const asked = ({ id, expiresAt }: Pick<Challenge, 'id' | 'expiresAt'>): Challenge => ({
  ...{ id, expiresAt, factors: [], passkey: null },
  startPath: startPathOf(id),
});
