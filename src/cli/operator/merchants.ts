// operator merchants, invite, suspend, restore: lists merchants, invites new ones, suspends one, and restores them.

import type { Config } from '../../config/config.ts';
import { inviteMerchant } from '../../domain/operator/invitations.ts';
import { listMerchants, restoreMerchant, suspendMerchant } from '../../domain/operator/merchants.ts';
import * as checks from '../../values/checks.ts';
import { GatewayError } from '../../values/errors.ts';
import { deriveSecrets } from '../../values/secrets/keys.ts';
import { linkSecret } from '../../values/secrets/mail-links.ts';
import { findSecret } from '../database-url.ts';
import { tableOf, toJson, type Command } from './command.ts';

/** More are found by a search. */
const MOST_LISTED = 100;

export const merchants: Command = {
  usage: [
    'merchants [--search TEXT] [--json]',
    'merchants, newest first, at most 100: those whose id is, or name or e-mail address has, the text',
  ],
  names: 0,
  optional: ['search', 'json'],
  async run({ operator, say }, { text, flag }) {
    const { nodes, hasMore } = await listMerchants(operator, {
      ...{ search: text('search'), limit: MOST_LISTED, before: null },
    });
    if (flag('json')) return say(toJson(nodes));
    if (nodes.length === 0) return say('There is none');
    const rows = nodes.map(({ id, companyName, email, createdAt, suspendedAt, suspendReason }) => [
      ...[id, companyName, email, createdAt.toISOString()],
      suspendedAt === null ? '-' : `${suspendedAt.toISOString()}: ${suspendReason ?? ''}`,
    ]);
    for (const line of tableOf(['ID', 'COMPANY', 'E-MAIL', 'SINCE', 'SUSPENDED'], rows)) say(line);
    if (hasMore) say('There are more: search for one');
  },
};

export const invite: Command = {
  usage: [
    'invite EMAIL',
    'invites somebody to register a merchant, for seven days, by mail; where no mails leave, it prints the link:',
    'who has it can register with that e-mail address',
  ],
  names: 1,
  async run({ operator, config, say }, { names: [email = ''] }) {
    const fault = checks.email(email);
    if (fault !== null) throw new Error(`The e-mail address ${fault}`);
    if (config.registration === 'closed') throw new GatewayError('REGISTRATION_CLOSED');
    const isMailed = operator.deps.sendsMail === true;
    // Read before anything is stored: without it the link could not be printed.
    const { linkKey } = deriveSecrets(await findSecret(config));
    const { result } = await inviteMerchant(operator, { email, invitedBy: null, isMailed });
    const until = result.expiresAt.toISOString();
    say(`${result.email} is invited until ${until} (${result.id})`);
    if (!isMailed)
      say(`No mail leaves here. Give them this link:\n\n  ${linkOf(config, linkSecret(linkKey, result.id))}\n`);
  },
};

const linkOf = ({ baseUrl }: Config, secret: string) => `${baseUrl}/console/accept#${secret}`;

export const suspend: Command = {
  usage: [
    'suspend ID --reason TEXT',
    'a merchant changes and makes nothing (1012), their pages are closed, their payouts wait;',
    'what is under way is watched, credited and told on',
  ],
  names: 1,
  required: ['reason'],
  async run({ operator, say }, { names: [id = ''], text }) {
    const { companyName } = await suspendMerchant(operator, id, text('reason') ?? '');
    say(`${id} (${companyName}) is suspended`);
  },
};

export const restore: Command = {
  usage: ['restore ID', "ends a merchant's suspension; payouts that nothing else holds continue at once"],
  names: 1,
  async run({ operator, say }, { names: [id = ''] }) {
    const { companyName } = await restoreMerchant(operator, id);
    say(`${id} (${companyName}) is restored`);
  },
};
