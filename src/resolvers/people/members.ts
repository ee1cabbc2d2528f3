// GraphQL operations on the members of a merchant, and on its custom roles.

import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import * as roles from '../../domain/people/custom-roles.ts';
import * as members from '../../domain/people/members.ts';
import { MemberPermissionEnum, RoleEnum } from '../../entities/enums.ts';
import * as checks from '../../values/checks.ts';
import { MEMBER_PERMISSIONS, type MemberPermission, type Role } from '../../values/member-permission.ts';
import { AlwaysConfirmed, callerOf, Needs, personOf, type Context } from '../operation/context.ts';
import { Checked, NeverNull } from '../operation/validation.ts';
import { peopleDeps, type Services } from '../services.ts';
import { CustomRole, Member } from '../types/people.ts';

@ArgsType()
export class CreateRoleArgs {
  @Field(() => String, { description: 'A name that no other role has: 1 to 100 characters.' })
  @Checked(checks.text(100))
  declare name: string;

  @Field(() => [MemberPermissionEnum], { description: 'What it gives: at least one, none that you lack.' })
  @Checked(checks.listOf(1, MEMBER_PERMISSIONS.length))
  declare permissions: MemberPermission[];
}

@ArgsType()
export class UpdateRoleArgs {
  @Field(() => ID, { description: 'The role id.' })
  declare id: string;

  @Field(() => String, { nullable: true, description: 'A name that no other role has: 1 to 100 characters.' })
  @Checked(checks.text(100))
  @NeverNull()
  declare name?: string | null;

  @Field(() => [MemberPermissionEnum], { nullable: true, description: 'What it gives: at least one.' })
  @Checked(checks.listOf(1, MEMBER_PERMISSIONS.length))
  @NeverNull()
  declare permissions?: MemberPermission[] | null;
}

@Resolver()
export class MemberResolver {
  constructor(private readonly services: Services) {}

  @Needs('MANAGE_PEOPLE')
  @Query(() => [Member], { description: 'Who belongs to the merchant, those of longest standing first.' })
  async members(@Ctx() context: Context): Promise<Member[]> {
    return (await members.listMembers(this.services.deps, callerOf(context).merchantId)) as Member[];
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => Member, {
    description: 'Gives a member another role, which holds for their tokens and sockets within a second.',
  })
  async changeMember(
    @Arg('id', () => ID, { description: 'The person id.' }) id: string,
    @Arg('role', () => RoleEnum, { description: 'Their new role.' }) role: Role,
    @Arg('roleId', () => ID, { nullable: true, description: 'The custom role, if the role is CUSTOM.' })
    roleId: string | null | undefined,
    @Ctx() context: Context,
  ): Promise<Member> {
    const given = { role, roleId: roleId ?? null };
    return (await members.changeMember(this.deps, personOf(context), id, given)) as Member;
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => Boolean, {
    description: 'Takes a person out of the merchant; their sessions there end within a second.',
  })
  async removeMember(
    @Arg('id', () => ID, { description: 'The person id.' }) id: string,
    @Arg('revokeKeys', () => Boolean, { nullable: true, description: 'Whether to revoke the keys that they made.' })
    revokeKeys: boolean | null | undefined,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await members.removeMember(this.deps, personOf(context), id, { revokeKeys: revokeKeys === true });
    return true;
  }

  @Needs('MANAGE_PEOPLE')
  @Query(() => [CustomRole], { description: "The merchant's own roles, by name." })
  async customRoles(@Ctx() context: Context): Promise<CustomRole[]> {
    return (await roles.listRoles(this.services.deps, callerOf(context).merchantId)) as CustomRole[];
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => CustomRole, { description: 'Makes a role of your own.' })
  async createRole(@Args(() => CreateRoleArgs) role: CreateRoleArgs, @Ctx() context: Context): Promise<CustomRole> {
    return (await roles.createRole(this.deps, personOf(context), role)) as CustomRole;
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => CustomRole, { description: 'Changes a role for all who have it; what is left out stays.' })
  async updateRole(
    @Args(() => UpdateRoleArgs) { id, ...change }: UpdateRoleArgs,
    @Ctx() context: Context,
  ): Promise<CustomRole> {
    return (await roles.updateRole(this.deps, personOf(context), id, change)) as CustomRole;
  }

  @Needs('MANAGE_PEOPLE')
  @AlwaysConfirmed()
  @Mutation(() => Boolean, { description: 'Deletes a role that nobody has.' })
  async deleteRole(
    @Arg('id', () => ID, { description: 'The role id.' }) id: string,
    @Ctx() context: Context,
  ): Promise<boolean> {
    await roles.deleteRole(this.deps, personOf(context), id);
    return true;
  }

  private get deps(): members.PeopleDeps {
    return peopleDeps(this.services);
  }
}
