// What each role of the database may do with each table. Migrations grant it, so that rights and tables fit together.

import { query, type EntityManager } from './connection.ts';

/**
 * The roles that work on the data, each named after its database: `turnpike_api` for `turnpike`. The role that owns the
 * tables and migrates them is not one of these.
 */
export const DATABASE_ROLES = [
  ...(['api', 'observer', 'dispatcher', 'mailer', 'signer', 'operator', 'monitor'] as const),
  // Of all cells, in the database that has their directory.
  'directory',
] as const;
export type DatabaseRole = (typeof DATABASE_ROLES)[number];

/** S: select. I: insert. U: update, which locking rows needs as well. D: delete. */
type Rights = Partial<Record<DatabaseRole, string>>;

/** A test compares them with the statements that the code of each role can run. Every table has a row. */
export const RIGHTS: Readonly<Record<string, Rights>> = {
  address_pool: { api: 'SU', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'SIU', operator: 'S', monitor: 'S' },
  api_key: { api: 'SIU', mailer: 'S', monitor: 'S' },
  api_log: { api: 'SI', observer: 'SUD', monitor: 'S' },
  asset_off: { api: 'SID', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'SIU', operator: 'SID', monitor: 'S' },
  audit_log: { api: 'SI', operator: 'I', monitor: 'S' },
  cell_directory: { directory: 'SIUD', monitor: 'S' },
  cell_site: { directory: 'SIU', monitor: 'S' },
  chain_block: { api: 'I', observer: 'SIUD', signer: 'SI', operator: 'S', monitor: 'S' },
  chain_cursor: {
    api: 'SI',
    observer: 'SIU',
    dispatcher: 'S',
    mailer: 'S',
    signer: 'SI',
    operator: 'SU',
    monitor: 'S',
  },
  challenge: { api: 'SIU', observer: 'SUD', operator: 'SU' },
  change_output: { api: 'S', observer: 'S', signer: 'SIU', operator: 'SI', monitor: 'S' },
  cluster_change: {
    api: 'SI',
    observer: 'SI',
    dispatcher: 'SI',
    mailer: 'SI',
    signer: 'SI',
    operator: 'SI',
    monitor: 'S',
  },
  cluster_identity: {
    api: 'SIU',
    observer: 'SIU',
    dispatcher: 'SIU',
    mailer: 'SIU',
    signer: 'SIU',
    operator: 'SIU',
    monitor: 'S',
  },
  console_file: { api: 'SIU', observer: 'SUD', monitor: 'S' },
  custody_progress: { observer: 'SIU', monitor: 'S' },
  custody_read: { observer: 'SIUD', operator: 'SIU', monitor: 'S' },
  custody_reading: { observer: 'SIUD', monitor: 'S' },
  custody_total: { observer: 'SIU', monitor: 'S' },
  custom_role: { api: 'SIUD', mailer: 'S', monitor: 'S' },
  deployment: { api: 'SI', observer: 'SI', dispatcher: 'SI', mailer: 'SI', signer: 'SI', operator: 'S', monitor: 'S' },
  deployment_cell: {
    api: 'SI',
    observer: 'SI',
    dispatcher: 'SI',
    mailer: 'SI',
    signer: 'SI',
    operator: 'S',
    monitor: 'S',
  },
  deposit: { api: 'SU', observer: 'SIU', dispatcher: 'S', mailer: 'S', signer: 'SU', operator: 'SIU', monitor: 'S' },
  derivation_account: {
    api: 'SIU',
    observer: 'SIU',
    dispatcher: 'SU',
    mailer: 'SU',
    signer: 'SIU',
    operator: 'SU',
    monitor: 'S',
  },
  erasure: { api: 'I', operator: 'SI', monitor: 'S' },
  event: { api: 'SIU', observer: 'SIUD', dispatcher: 'SIU', mailer: 'SU', signer: 'SI', operator: 'SIU', monitor: 'S' },
  event_counter: { api: 'S', observer: 'S', dispatcher: 'SIU', mailer: 'S', signer: 'S', monitor: 'S' },
  factor: { api: 'SIUD', operator: 'SD' },
  funding: { api: 'SU', observer: 'SIU', signer: 'SU', operator: 'SIU', monitor: 'S' },
  gap_address: { api: 'S', observer: 'S', signer: 'S', operator: 'SI', monitor: 'S' },
  holding: { api: 'SIU', observer: 'SIU', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  idempotency: { api: 'SIU', observer: 'SUD', signer: 'S', operator: 'SIU' },
  invoice: { api: 'SIU', observer: 'SU', dispatcher: 'S', mailer: 'S', signer: 'SU', operator: 'SU', monitor: 'S' },
  invitation: { api: 'SIU', observer: 'SUD', operator: 'SIU', monitor: 'S' },
  ledger_account: { api: 'SIU', observer: 'SIU', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  ledger_checkpoint: { observer: 'SU', operator: 'S', monitor: 'S' },
  ledger_transaction: { api: 'SI', observer: 'SI', signer: 'SI', operator: 'SI', monitor: 'S' },
  ledger_value: { api: 'SI', observer: 'I', signer: 'I', operator: 'I', monitor: 'S' },
  mail: { api: 'SIU', observer: 'SIU', mailer: 'SIU', operator: 'SIU', monitor: 'S' },
  mail_link: { api: 'SIU', observer: 'SUD', operator: 'S', monitor: 'S' },
  membership: { api: 'SIUD', mailer: 'S', operator: 'SI', monitor: 'S' },
  merchant: { api: 'SIU', observer: 'SU', dispatcher: 'S', mailer: 'S', signer: 'S', operator: 'SIU', monitor: 'S' },
  migration: { api: 'S', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'S', operator: 'S', monitor: 'S' },
  oidc_identity: { api: 'SIUD', operator: 'SD' },
  operator_action: { api: 'SIU', operator: 'SIU', monitor: 'S' },
  operator_log: { api: 'SI', operator: 'SI', monitor: 'S' },
  owner_session: { api: 'SIU', observer: 'SUD', operator: 'SU' },
  payment: { api: 'SIU', observer: 'SU', dispatcher: 'S', mailer: 'S', signer: 'SU', operator: 'SU', monitor: 'S' },
  payment_link: { api: 'SIU', observer: 'SU', signer: 'SU', operator: 'SU', monitor: 'S' },
  payout: { api: 'SIU', observer: 'SIU', dispatcher: 'S', mailer: 'S', signer: 'SU', operator: 'SIU', monitor: 'S' },
  payout_batch: { api: 'SI', mailer: 'S', monitor: 'S' },
  payout_freeze: {
    api: 'SIU',
    observer: 'S',
    dispatcher: 'S',
    mailer: 'S',
    signer: 'S',
    operator: 'SIU',
    monitor: 'S',
  },
  payout_address: { api: 'SIU', observer: 'SU', monitor: 'S' },
  payout_policy: { api: 'SIU', observer: 'SU', monitor: 'S' },
  payout_refusal: { api: 'SD', signer: 'SID', operator: 'SD', monitor: 'S' },
  person: { api: 'SIU', observer: 'S', mailer: 'S', operator: 'SIU', monitor: 'S' },
  person_device: { api: 'SIUD', observer: 'SUD', operator: 'SD' },
  posting: { api: 'SI', observer: 'SI', signer: 'SI', operator: 'SI', monitor: 'S' },
  quote: { api: 'SIU', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'S', operator: 'S', monitor: 'S' },
  rate: { api: 'S', observer: 'SIUD', dispatcher: 'S', mailer: 'S', signer: 'S', monitor: 'S' },
  rate_feed: { observer: 'SIU', monitor: 'S' },
  rate_tick: { observer: 'SIU', monitor: 'S' },
  receipt: { api: 'SI', observer: 'I', signer: 'I', operator: 'I', monitor: 'S' },
  recovery_code: { api: 'SIUD', operator: 'SD' },
  reconciliation: { api: 'SU', observer: 'SIU', operator: 'SIU', monitor: 'S' },
  relay_cursor: { api: 'S', observer: 'S', dispatcher: 'SIU', mailer: 'SIU', signer: 'S', operator: 'S', monitor: 'S' },
  sandbox_rate: { api: 'SIU', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'S', operator: 'S', monitor: 'S' },
  schema_version: { api: 'S', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'S', operator: 'S', monitor: 'S' },
  sealed_balance: { observer: 'SIUD', operator: 'S', monitor: 'S' },
  sender: { api: 'S', observer: 'S', dispatcher: 'S', mailer: 'S', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  settlement_rule: { api: 'SIU', observer: 'SU', mailer: 'S', monitor: 'S' },
  sign_in_address: { api: 'SIUD', operator: 'SIUD' },
  sign_in_failure: { api: 'SIUD', operator: 'SIUD' },
  signing_comparison: { api: 'S', observer: 'S', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  signing_halt: {
    api: 'S',
    observer: 'SIU',
    dispatcher: 'S',
    mailer: 'S',
    signer: 'SIU',
    operator: 'SIUD',
    monitor: 'S',
  },
  spent_output: { api: 'S', observer: 'S', signer: 'SIUD', operator: 'SIU', monitor: 'S' },
  stray_address: { observer: 'SI', operator: 'SI', monitor: 'S' },
  suspense_movement: { api: 'SIU', observer: 'S', operator: 'SIU', monitor: 'S' },
  transfer: { api: 'SU', observer: 'S', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  unsubscription: { api: 'I', mailer: 'S', monitor: 'S' },
  unknown_transaction: { observer: 'SIU', signer: 'SIU', operator: 'SIU', monitor: 'S' },
  webhook_attempt: {
    api: 'SU',
    observer: 'SUD',
    dispatcher: 'SI',
    mailer: 'S',
    signer: 'S',
    operator: 'SU',
    monitor: 'S',
  },
  webhook_change: { api: 'SI', observer: 'SUD', dispatcher: 'SI', mailer: 'S', signer: 'S', monitor: 'S' },
  webhook_claim: { dispatcher: 'SIUD', monitor: 'S' },
  webhook_delivery: {
    api: 'SIU',
    observer: 'SD',
    dispatcher: 'SIU',
    mailer: 'S',
    signer: 'S',
    operator: 'S',
    monitor: 'S',
  },
  webhook_endpoint: { api: 'SIU', observer: 'S', dispatcher: 'SU', mailer: 'S', signer: 'S', monitor: 'S' },
  webhook_endpoint_hour: { api: 'S', observer: 'SUD', dispatcher: 'SIU', monitor: 'S' },
  webhook_lane: { api: 'SIU', dispatcher: 'SIU', monitor: 'S' },
};

/** Where a role may read only some columns, because others are secrets that are not its business. */
export const READABLE_COLUMNS: Readonly<Record<string, Partial<Record<DatabaseRole, readonly string[]>>>> = {
  api_key: {
    mailer: ['key_id', 'name', 'created_by'],
    monitor: [
      'key_id',
      'merchant_id',
      'name',
      'permissions',
      'ip_whitelist',
      'created_at',
      'last_used_at',
      'revoked_at',
    ],
  },
  merchant: {
    observer: ['id', 'customer_data_days', 'rate_spread', 'fixed_rates', 'accounting_currency'],
    signer: ['id', 'accounting_currency'],
    mailer: ['id', 'company_name', 'locale', 'customer_mails', 'support_email', 'suspended_at'],
    dispatcher: ['id', 'webhook_secret', 'previous_webhook_secret', 'previous_secret_expires_at'],
    monitor: ['id', 'email', 'company_name', 'created_at'],
  },
  person: {
    observer: ['id', 'email', 'email_verified_at', 'locale', 'is_operator'],
    mailer: ['id', 'email', 'email_verified_at', 'locale'],
    monitor: ['id', 'email', 'name', 'held_until', 'created_at'],
  },
};

/**
 * Where a role may change only a key, because it locks rows and changes none: to lock, one has to be able to update.
 */
export const CHANGEABLE_COLUMNS: Readonly<Record<string, Partial<Record<DatabaseRole, readonly string[]>>>> = {
  event: { mailer: ['id'] },
  merchant: { observer: ['id'] },
  payout_address: { observer: ['id'] },
  payout_policy: { observer: ['merchant_id'] },
};

/** Functions that work with the rights of the tables' owner, and who may call them; nobody else may. */
export const CALLABLE: Readonly<Record<string, readonly DatabaseRole[]>> = {
  make_partitions: ['observer'],
  drop_partition: ['observer'],
};

const COLUMNS_OF: Readonly<Record<string, typeof READABLE_COLUMNS>> = { S: READABLE_COLUMNS, U: CHANGEABLE_COLUMNS };

const VERBS = { S: 'select', I: 'insert', U: 'update', D: 'delete' } as const;

/**
 * Gives the roles that exist exactly these rights, in the current transaction, and returns their names. Without the
 * right to do so (for which one must be, or belong to, the owner of the tables), it does nothing: then there are no
 * such roles, or a program runs as one of them.
 */
export async function grantRights(em: EntityManager): Promise<string[]> {
  const [found] = await query<Omit<Place, 'name'> & { database: string; roles: string[]; owns: boolean }>(
    em,
    `select quote_ident(current_schema()) as schema, current_database() as database,
       array(select rolname::text from pg_roles where rolname = any(
         select current_database() || '_' || role from unnest($1::text[]) as r (role))) as roles,
       array(select relname::text from pg_class where relnamespace = current_schema()::regnamespace
         and relkind in ('r', 'p')) as tables,
       array(select proname::text from pg_proc where pronamespace = current_schema()::regnamespace and prosecdef) as functions,
       coalesce((select pg_has_role(relowner, 'usage') from pg_class where oid = to_regclass('migration')), false) as owns`,
    [DATABASE_ROLES],
  );
  if (!found?.owns) return [];
  const { database, roles, ...place } = found;
  for (const role of DATABASE_ROLES) {
    const name = `${database}_${role}`;
    if (!roles.includes(name)) continue;
    for (const statement of statementsFor(role, { ...place, name: quoted(name) })) await query(em, statement);
  }
  return roles;
}

interface Place {
  readonly name: string;
  readonly schema: string;
  /** Those that exist: an older program may meet the tables of a newer one, and leaves them alone. */
  readonly tables: readonly string[];
  readonly functions: readonly string[];
}

function statementsFor(role: DatabaseRole, { name, schema, tables, functions }: Place): string[] {
  const own = tables.filter((table) => Object.hasOwn(RIGHTS, table)).sort();
  const statements = own.length === 0 ? [] : [`revoke all on table ${inSchema(own)} from ${name}`];
  for (const [letter, verb] of Object.entries(VERBS)) {
    const some = own.filter((table) => RIGHTS[table]?.[role]?.includes(letter));
    const whole = some.filter((table) => !COLUMNS_OF[letter]?.[table]?.[role]);
    if (whole.length > 0) statements.push(`grant ${verb} on table ${inSchema(whole)} to ${name}`);
  }
  for (const [letter, verb] of Object.entries(VERBS))
    for (const table of own) {
      const columns = COLUMNS_OF[letter]?.[table]?.[role];
      if (columns) statements.push(`grant ${verb} (${columns.join(', ')}) on table ${inSchema([table])} to ${name}`);
    }
  for (const called of functions.filter((one) => CALLABLE[one]?.includes(role)))
    statements.push(`grant execute on function ${inSchema([called])} to ${name}`);
  return statements;

  function inSchema(some: readonly string[]): string {
    return some.map((table) => `${schema}.${quoted(table)}`).join(', ');
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
