// An API key. Its secret is shown once and stored only as a keyed digest.

import 'reflect-metadata';
import { defineEntity, p } from '@mikro-orm/core';
import { Field, ID, ObjectType } from 'type-graphql';
import type { Permission } from '../values/permission.ts';
import { PermissionEnum } from './enums.ts';

const ApiKeySchema = defineEntity({
  name: 'ApiKey',
  tableName: 'api_key',
  properties: {
    keyId: p.text().primary(),
    merchantId: p.text(),
    secretDigest: p.blob(),
    name: p.text(),
    permissions: p.array().$type<Permission[]>(),
    ipWhitelist: p.array().$type<string[]>(),
    createdAt: p.datetime(),
    lastUsedAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
    /** The person who made it, or the key by which it was made was made. */
    createdBy: p.text().nullable(),
  },
});

@ObjectType({ description: 'An API key, without its secret.', simpleResolvers: true })
export class ApiKey extends ApiKeySchema.class {
  @Field(() => ID, { description: 'The public id, `pk_test_…` or `pk_live_…`.' })
  declare keyId: string;

  @Field(() => String, { description: 'The label given at creation.' })
  declare name: string;

  @Field(() => [PermissionEnum], { description: 'What the key may do, in a fixed order.' })
  declare permissions: Permission[];

  @Field(() => [String], {
    description: 'IPv4 addresses and CIDR ranges that the key may be used from; empty allows all.',
  })
  declare ipWhitelist: string[];

  @Field(() => Date, { description: 'When the key was created.' })
  declare createdAt: Date;

  @Field(() => Date, { nullable: true, description: 'When the key was last used.' })
  declare lastUsedAt: Date | null;

  @Field(() => Date, { nullable: true, description: 'When the key was revoked.' })
  declare revokedAt: Date | null;
}

ApiKeySchema.setClass(ApiKey);
export { ApiKeySchema };
