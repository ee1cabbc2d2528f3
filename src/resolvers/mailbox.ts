// The sandbox's mailbox: mails that leave nowhere, as their recipients would read them.

import { Arg, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import { readMails } from '../domain/mail/mails.ts';
import { renderMail } from '../mail/render.ts';
import { GatewayError } from '../values/errors.ts';
import type { Services } from './services.ts';

@ObjectType({ description: 'A mail that the sandbox wrote.', simpleResolvers: true })
export class SandboxMail {
  @Field(() => ID, { description: 'Its id, `eml_…`.' })
  declare id: string;

  @Field(() => String, { description: 'The recipient.' })
  declare to: string;

  @Field(() => String, { description: 'What it is, such as `invitation`.' })
  declare template: string;

  @Field(() => String, { description: 'The subject.' })
  declare subject: string;

  @Field(() => String, { description: 'The text, with its link.' })
  declare text: string;

  @Field(() => Date, { description: 'When it was written.' })
  declare createdAt: Date;
}

@Resolver()
export class MailboxResolver {
  constructor(private readonly services: Services) {}

  @Query(() => [SandboxMail], {
    description:
      'The newest 500 mails, newest first. Sandbox only, and only where `SANDBOX_MAILBOX` is open: it shows the links that reset passwords.',
  })
  async sandboxMails(
    @Arg('to', () => String, { nullable: true, description: 'Those to this e-mail address alone.' })
    to: string | null | undefined,
  ): Promise<SandboxMail[]> {
    const { deps, mail: settings, hasMailbox } = this.services;
    if (!hasMailbox || settings === null) throw new GatewayError('NOT_FOUND');
    const mails = await readMails(deps, to ?? null);
    return mails.map((mail) => {
      const { id, recipient, template, createdAt } = mail;
      return { id, to: recipient, template: template.toLowerCase(), createdAt, ...renderMail(mail, settings) };
    });
  }
}
