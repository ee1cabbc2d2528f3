// GraphQL operations on API keys. Any valid token may use them, but can only grant or revoke permissions it has.

import { Arg, Ctx, Field, ID, InputType, Mutation, ObjectType, Query, Resolver } from 'type-graphql';
import {
  changeApiKey,
  createApiKey,
  listApiKeys,
  revokeApiKey,
  type KeyManager,
} from '../domain/merchants/api-keys.ts';
import { ApiKey } from '../entities/api-key.ts';
import { PermissionEnum } from '../entities/enums.ts';
import * as checks from '../values/checks.ts';
import type { Permission } from '../values/permission.ts';
import {
  actorOf,
  answer,
  callerOf,
  NeedsConfirmation,
  NeedsOfPeople,
  NeedsToken,
  idempotencyOf,
  type Context,
} from './operation/context.ts';
import type { Services } from './services.ts';
import { Checked, CheckedItems, NeverNull } from './operation/validation.ts';

@InputType({ description: 'A key to make.' })
export class CreateApiKeyInput {
  @Field(() => String, { description: 'A label: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare name: string;

  @Field(() => [PermissionEnum], { description: 'What the key may do: at least one, none that you lack.' })
  @Checked(checks.listOf(1, 8))
  declare permissions: Permission[];

  @Field(() => [String], {
    nullable: true,
    description: 'IPv4 addresses and CIDR ranges; left out or empty allows all.',
  })
  @Checked(checks.listOf(0, 100))
  @CheckedItems(checks.ipRange)
  declare ipWhitelist?: string[] | null;
}

@InputType({ description: 'What to change of a key; what is left out stays.' })
export class UpdateApiKeyInput {
  @Field(() => String, { nullable: true, description: 'A label: 1 to 100 characters.' })
  @Checked(checks.text(100))
  @NeverNull()
  declare name?: string | null;

  @Field(() => [PermissionEnum], { nullable: true, description: 'What the key may do: at least one.' })
  @Checked(checks.listOf(1, 8))
  @NeverNull()
  declare permissions?: Permission[] | null;

  @Field(() => [String], { nullable: true, description: 'IPv4 addresses and CIDR ranges; empty allows all.' })
  @Checked(checks.listOf(0, 100))
  @CheckedItems(checks.ipRange)
  @NeverNull()
  declare ipWhitelist?: string[] | null;
}

@ObjectType({ description: 'A new key; the secret is shown this once.', simpleResolvers: true })
export class CreatedApiKey {
  @Field(() => ID, { description: 'The public id.' })
  declare keyId: string;

  @Field(() => String, { nullable: true, description: 'The secret; null where the answer repeats an earlier one.' })
  declare secret: string | null;

  @Field(() => String, { description: 'The label.' })
  declare name: string;

  @Field(() => [PermissionEnum], { description: "What the key may do, in the specification's order." })
  declare permissions: Permission[];

  @Field(() => [String], { description: 'Where it may be used from; empty allows all.' })
  declare ipWhitelist: string[];

  @Field(() => Date, { description: 'When it was made.' })
  declare createdAt: Date;
}

function keeperOf(context: Context): KeyManager {
  return { ...actorOf(context), permissions: callerOf(context).permissions };
}

@Resolver()
export class ApiKeyResolver {
  constructor(private readonly services: Services) {}

  @NeedsToken()
  @Query(() => [ApiKey], { description: "The merchant's keys, newest first, revoked ones too." })
  async apiKeys(@Ctx() context: Context): Promise<ApiKey[]> {
    await this.services.flushKeyUses();
    return await listApiKeys(this.services.deps, callerOf(context).merchantId);
  }

  @NeedsToken()
  @NeedsOfPeople('MANAGE_KEYS')
  @NeedsConfirmation()
  @Mutation(() => CreatedApiKey, { description: 'Makes a key. Its secret is shown this once.' })
  async createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The key to make.' }) input: CreateApiKeyInput,
    @Ctx() context: Context,
  ): Promise<CreatedApiKey> {
    const keeper = keeperOf(context);
    const idempotency = idempotencyOf(this.services, context, {
      scope: keeper.merchantId,
      operation: 'createApiKey',
      input,
    });
    const { deps, keysMax } = this.services;
    return answer(context, await createApiKey({ ...deps, keysMax }, keeper, input, idempotency));
  }

  @NeedsToken()
  @NeedsOfPeople('MANAGE_KEYS')
  @NeedsConfirmation()
  @Mutation(() => ApiKey, {
    description: 'Changes a key; it holds for issued tokens and open sockets within a second.',
  })
  async updateApiKey(
    @Arg('keyId', () => ID, { description: 'The public id of a key.' }) keyId: string,
    @Arg('input', () => UpdateApiKeyInput, { description: 'What to change.' }) input: UpdateApiKeyInput,
    @Ctx() context: Context,
  ): Promise<ApiKey> {
    return await changeApiKey(this.services.deps, keeperOf(context), keyId, input);
  }

  @NeedsToken()
  @NeedsOfPeople('MANAGE_KEYS')
  @NeedsConfirmation()
  @Mutation(() => ApiKey, {
    description: 'Revokes a key for good; issued tokens and open sockets end within a second.',
  })
  async revokeApiKey(
    @Arg('keyId', () => ID, { description: 'The public id of a key.' }) keyId: string,
    @Ctx() context: Context,
  ): Promise<ApiKey> {
    return await revokeApiKey(this.services.deps, keeperOf(context), keyId);
  }
}
