// Tells people what happened to their account, or at a merchant: mails in the transaction of what they tell, or of the
// event that does. Recipients are read without locks, and no mailbox is flooded (contract-people-payouts, C).

import { query, type EntityManager } from '../../database/connection.ts';
import type { MailParams, MailTemplate } from '../../mail/mails.ts';
import { firstIdOf, newId } from '../../values/id.ts';
import { permissionsOf, type MemberPermission, type Role } from '../../values/member-permission.ts';
import type { Actor } from '../actor.ts';
import type { Deps } from '../deps.ts';

/** Notices of a kind that an address gets in an hour about one merchant, or about the person. */
const MOST_IN_HOUR = 10;
/** Notices of all kinds that an address gets in a day which nobody has confirmed: it may be that of a stranger. */
const MOST_UNCONFIRMED_IN_DAY = 10;
/** Members of a merchant that a notice goes to: those of longest standing, so that nobody is pushed out by new ones. */
const MOST_TOLD = 20;
const HOUR_MS = 3_600_000;

type NoticeDeps = Pick<Deps, 'sendsMail'>;

/** Somebody to tell. */
interface Recipient {
  readonly personId: string;
  readonly email: string;
  readonly isConfirmed: boolean;
  readonly locale: string;
}

/** What a person is told about their own account. */
export type OwnNotice = {
  readonly [Template in OwnTemplate]: {
    readonly personId: string;
    readonly template: Template;
    readonly params: MailParams[Template];
  };
}[OwnTemplate];
type OwnTemplate = 'PASSWORD_CHANGED' | 'FACTOR_CHANGED' | 'IDENTITY_CHANGED' | 'NEW_DEVICE';

/** Tells a person of what happened to their own account, in the current transaction. */
export async function tellPerson(
  em: EntityManager,
  { sendsMail = false }: NoticeDeps,
  { personId, template, params }: OwnNotice,
  now: Date,
): Promise<void> {
  if (!sendsMail) return;
  const recipients = await query<Recipient>(
    em,
    `select id as "personId", email, email_verified_at is not null as "isConfirmed", coalesce(locale, 'en') as locale
     from person where id = $1`,
    [personId],
  );
  await writeNotices(em, recipients, { merchantId: null, template, params, dedupe: null }, now);
}

/**
 * Whom of a merchant to tell: owners, who has `permission`, of `members` those who still are, and `people` even if they
 * are no members any more; but not `except`.
 */
export interface Audience {
  readonly owners?: true;
  readonly permission?: MemberPermission;
  readonly members?: readonly (string | null)[];
  readonly people?: readonly (string | null)[];
  readonly except?: readonly (string | null)[];
}

/** What members are told: the merchant's name is filled in. */
export interface Notice<Template extends MailTemplate> {
  readonly merchantId: string;
  readonly template: Template;
  readonly params: Omit<MailParams[Template], 'company'>;
  /** What there is one notice for to each of them; null where its transaction is its only reason. */
  readonly dedupe?: string | null;
}

interface MemberRow extends Recipient {
  readonly company: string;
  /** Null for somebody who is no member any more. */
  readonly role: Role | null;
  readonly custom: string[] | null;
}

const MEMBERS = `select p.id as "personId", p.email, p.email_verified_at is not null as "isConfirmed",
    coalesce(p.locale, c.locale, 'en') as locale, c.company_name as company, m.role, r.permissions as custom
  from person p join merchant c on c.id = $1
  left join membership m on m.merchant_id = c.id and m.person_id = p.id
  left join custom_role r on r.id = m.role_id
  where p.id in (select person_id from membership where merchant_id = $1 union select unnest($2::text[]))
  order by m.created_at, p.id`;

/** Tells members of a merchant, in the current transaction; nothing where no mails leave. */
export async function tellMembers<Template extends MailTemplate>(
  em: EntityManager,
  { sendsMail = false }: NoticeDeps,
  audience: Audience,
  { merchantId, template, params, dedupe = null }: Notice<Template>,
  now: Date,
): Promise<void> {
  if (!sendsMail) return;
  const named = (audience.people ?? []).filter((id) => id !== null);
  const members = await query<MemberRow>(em, MEMBERS, [merchantId, named]);
  const told = members.filter((member) => isTold(member, audience)).slice(0, MOST_TOLD);
  const company = members[0]?.company ?? '';
  await writeNotices(em, told, { merchantId, template, params: { company, ...params }, dedupe }, now);
}

function isTold(
  { personId, role, custom }: MemberRow,
  { owners, permission, members = [], people = [], except = [] }: Audience,
): boolean {
  if (except.includes(personId)) return false;
  if (people.includes(personId)) return true;
  if (role === null) return false;
  if (members.includes(personId) || (owners === true && role === 'OWNER')) return true;
  return permission !== undefined && permissionsOf({ role, custom }).includes(permission);
}

/** What operators are told, all but those named. */
export type OperatorNotice = {
  readonly [Template in OperatorTemplate]: {
    readonly template: Template;
    readonly params: MailParams[Template];
    /** What there is one notice for to each of them. */
    readonly dedupe: string;
    readonly except?: readonly string[];
  };
}[OperatorTemplate];
type OperatorTemplate = 'PAYOUT_STUCK' | 'GAS_LOW' | 'SUSPENSE_FOUND' | 'ACTION_PENDING';

/** Tells the gateway's operators, in the current transaction; nothing where no mails leave. */
export async function tellOperators(
  em: EntityManager,
  { sendsMail = false }: NoticeDeps,
  { template, params, dedupe, except = [] }: OperatorNotice,
  now: Date,
): Promise<void> {
  if (!sendsMail) return;
  const recipients = await query<Recipient>(
    em,
    `select id as "personId", email, email_verified_at is not null as "isConfirmed", coalesce(locale, 'en') as locale
     from person where is_operator and id <> all($1) order by id limit $2`,
    [except, MOST_TOLD],
  );
  await writeNotices(em, recipients, { merchantId: null, template, params, dedupe }, now);
}

interface Written {
  readonly merchantId: string | null;
  readonly template: MailTemplate;
  readonly params: object;
  readonly dedupe: string | null;
}

async function writeNotices(
  em: EntityManager,
  recipients: readonly Recipient[],
  { merchantId, template, params, dedupe }: Written,
  now: Date,
): Promise<void> {
  if (recipients.length === 0) return;
  const since = (ms: number) => firstIdOf('eml', now.getTime() - ms);
  await query(
    em,
    `insert into mail (id, merchant_id, template, recipient, locale, params, created_at, due_at, dedupe)
     select t.id, $1, $2, t.recipient, t.locale, $3::json, $4, $4, t.dedupe
     from unnest($5::text[], $6::text[], $7::text[], $8::boolean[], $9::text[])
       as t(id, recipient, locale, is_confirmed, dedupe)
     where (select count(*) from mail l where l.recipient = t.recipient and l.id >= $10 and l.template = $2
         and l.merchant_id is not distinct from $1) < $11
       and (t.is_confirmed or (select count(*) from mail l where l.recipient = t.recipient and l.id >= $12) < $13)
     on conflict (dedupe) where dedupe is not null do nothing`,
    [
      ...[merchantId, template, JSON.stringify(params), now],
      recipients.map(() => newId('eml', now.getTime())),
      recipients.map(({ email }) => email),
      recipients.map(({ locale }) => locale),
      recipients.map(({ isConfirmed }) => isConfirmed),
      recipients.map(({ personId }) => dedupe && `${dedupe}/${personId}`),
      ...[since(HOUR_MS), MOST_IN_HOUR, since(24 * HOUR_MS), MOST_UNCONFIRMED_IN_DAY],
    ],
  );
}

/** Who acts or acted, as notices name them: the address of a person, the name of a key, or `operator`. */
export async function nameOfActor(
  em: EntityManager,
  { keyId, personId = null }: Pick<Actor, 'keyId' | 'personId'>,
): Promise<string> {
  const [row] =
    keyId === null
      ? await query<{ name: string }>(em, 'select email as name from person where id = $1', [personId])
      : await query<{ name: string }>(em, 'select name from api_key where key_id = $1', [keyId]);
  return row?.name ?? 'operator';
}

/** A time as notices tell it: `2026-11-28 08:30 UTC`. */
export const toldTime = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
