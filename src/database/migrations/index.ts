// The migrations in order. A migration that was released is never changed; a later one is added.

import type { Migration } from '@mikro-orm/migrations';
import { VERSION } from '../program.ts';
import { InitialSchemaMigration } from './20261124-initial-schema.ts';
import { IndexesMigration } from './20261126-indexes.ts';
import { LedgerCheckpointMigration } from './20261126-ledger-checkpoint.ts';
import { CustodyReadingsMigration } from './20261126-custody-readings.ts';
import { SchemaVersionMigration } from './20261126-schema-version.ts';
import { TracesMigration } from './20261126-traces.ts';
import { RateFeedsMigration } from './20261127-rate-feeds.ts';
import { RatesMigration } from './20261127-rates.ts';
import { ReceiptsIndexMigration } from './20261127-receipts-index.ts';
import { ReceiptsMigration } from './20261127-receipts.ts';
import { InvoicesMigration } from './20261127-invoices.ts';
import { PaymentLinksMigration } from './20261127-payment-links.ts';
import { MailMigration } from './people/20261128-mail.ts';
import { MailerMigration } from './people/20261128-mailer.ts';
import { PayoutControlMigration } from './people/20261128-payout-control.ts';
import { PeopleMigration } from './people/20261128-people.ts';
import { FactorsMigration } from './people/20261129-factors.ts';
import { MailLinksMigration } from './people/20261129-mail-links.ts';
import { OperatorsMigration } from './people/20261129-operators.ts';
import { SuspensionsMigration } from './people/20261129-suspensions.ts';
import { OperatorLogMigration } from './people/20261201-operator-log.ts';
import { OperatorActionsMigration } from './people/20261129-operator-actions.ts';
import { MailRecipientsMigration } from './people/20261129-mail-recipients.ts';
import { SettlementMigration } from './people/20261129-settlement.ts';
import { DevicesMigration } from './people/20261130-devices.ts';
import { ErasureIndexesMigration, ErasuresMigration } from './customers/20261130-erasures.ts';
import { MovementsIndexMigration, MovementsMigration } from './people/20261130-movements.ts';
import { IdentitiesMigration } from './people/20261201-identities.ts';
import { MailedCodesMigration } from './people/20261130-mailed-codes.ts';
import { MerchantInvitationsMigration } from './people/20261201-merchant-invitations.ts';
import { CustomerDataDaysMigration } from './customers/20261201-kept-customers.ts';
import { CustomerMailsMigration } from './customers/20261201-customer-mails.ts';
import { WebhookFormsMigration } from './20261202-webhook-forms.ts';
import { ConsoleFilesMigration } from './20261203-console-files.ts';
import { SearchMigration } from './20261204-search.ts';
import { CellsMigration } from './20261205-cells.ts';
import { CellDirectoryMigration } from './cells/20261207-cell-directory.ts';
import { PartitionsMigration } from './history/20261206-partitions.ts';
import { EndpointHoursMigration } from './20261204-endpoint-hours.ts';

/** The migration that all others lead on from. */
export const INITIAL_SCHEMA = '20261124-initial-schema';

/** Programs that know it can go on where history has partitions; turning them on shuts out all others. */
export const PARTITIONS_STEP = '20261206-partitions';

/** A step from one version of the schema to the next. */
export interface SchemaStep {
  readonly name: string;
  readonly class: new (...args: ConstructorParameters<typeof Migration>) => Migration;
  /**
   * The oldest schema whose programs may go on beside it. Migrations expand first and contract releases later, so that
   * this is at least the schema of the release before.
   */
  readonly oldestBeside: number;
}

/** They run in this order, whatever their names; the n-th makes version n of the schema. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [
  { name: INITIAL_SCHEMA, class: InitialSchemaMigration, oldestBeside: 1 },
  { name: '20261126-schema-version', class: SchemaVersionMigration, oldestBeside: 1 },
  { name: '20261126-indexes', class: IndexesMigration, oldestBeside: 1 },
  { name: '20261126-ledger-checkpoint', class: LedgerCheckpointMigration, oldestBeside: 1 },
  { name: '20261126-custody-readings', class: CustodyReadingsMigration, oldestBeside: 1 },
  { name: '20261126-traces', class: TracesMigration, oldestBeside: 1 },
  // An observer of before would credit an invoice's payments and leave the invoice as it is.
  { name: '20261127-invoices', class: InvoicesMigration, oldestBeside: 7 },
  { name: '20261127-rates', class: RatesMigration, oldestBeside: 7 },
  // Others make no invoices from links, but settle them: then they would not be counted.
  { name: '20261127-payment-links', class: PaymentLinksMigration, oldestBeside: 9 },
  // Others would credit deposits without keeping what they are worth.
  { name: '20261127-receipts', class: ReceiptsMigration, oldestBeside: 10 },
  { name: '20261127-receipts-index', class: ReceiptsIndexMigration, oldestBeside: 10 },
  { name: '20261127-rate-feeds', class: RateFeedsMigration, oldestBeside: 10 },
  { name: '20261128-people', class: PeopleMigration, oldestBeside: 10 },
  { name: '20261128-mail', class: MailMigration, oldestBeside: 10 },
  { name: '20261129-factors', class: FactorsMigration, oldestBeside: 10 },
  { name: '20261128-mailer', class: MailerMigration, oldestBeside: 10 },
  { name: '20261128-payout-control', class: PayoutControlMigration, oldestBeside: 10 },
  { name: '20261129-mail-links', class: MailLinksMigration, oldestBeside: 10 },
  { name: '20261129-mail-recipients', class: MailRecipientsMigration, oldestBeside: 10 },
  { name: '20261129-settlement', class: SettlementMigration, oldestBeside: 10 },
  { name: '20261129-operators', class: OperatorsMigration, oldestBeside: 10 },
  { name: '20261129-suspensions', class: SuspensionsMigration, oldestBeside: 10 },
  { name: '20261130-devices', class: DevicesMigration, oldestBeside: 10 },
  { name: '20261130-movements', class: MovementsMigration, oldestBeside: 10 },
  { name: '20261130-movements-index', class: MovementsIndexMigration, oldestBeside: 10 },
  { name: '20261130-mailed-codes', class: MailedCodesMigration, oldestBeside: 10 },
  { name: '20261129-operator-actions', class: OperatorActionsMigration, oldestBeside: 10 },
  { name: '20261130-erasures', class: ErasuresMigration, oldestBeside: 10 },
  { name: '20261130-erasure-indexes', class: ErasureIndexesMigration, oldestBeside: 10 },
  { name: '20261201-operator-log', class: OperatorLogMigration, oldestBeside: 10 },
  { name: '20261201-merchant-invitations', class: MerchantInvitationsMigration, oldestBeside: 10 },
  { name: '20261201-identities', class: IdentitiesMigration, oldestBeside: 10 },
  { name: '20261201-customer-mails', class: CustomerMailsMigration, oldestBeside: 10 },
  { name: '20261201-kept-customers', class: CustomerDataDaysMigration, oldestBeside: 10 },
  { name: '20261202-webhook-forms', class: WebhookFormsMigration, oldestBeside: 10 },
  { name: '20261203-console-files', class: ConsoleFilesMigration, oldestBeside: 10 },
  { name: '20261204-search', class: SearchMigration, oldestBeside: 10 },
  { name: '20261204-endpoint-hours', class: EndpointHoursMigration, oldestBeside: 10 },
  { name: '20261205-cells', class: CellsMigration, oldestBeside: 10 },
  { name: PARTITIONS_STEP, class: PartitionsMigration, oldestBeside: 10 },
  { name: '20261207-cell-directory', class: CellDirectoryMigration, oldestBeside: 10 },
];

/** The version of the schema that this program needs. */
export const SCHEMA = SCHEMA_STEPS.length;

/** How long a step waits for a lock on a table: all that comes after it waits behind it. */
export const LOCK_TIMEOUT_MS = 2_000;

/**
 * The steps as MikroORM runs them: with a limit on waiting for locks, and with the row of their version. One that is
 * not a transaction may be cut short anywhere, and is run again.
 */
export function migrationsOf(steps: readonly SchemaStep[]) {
  return steps.map((step, index) => ({ name: step.name, class: versioned(step, index + 1) }));
}

function versioned({ name, class: Step, oldestBeside }: SchemaStep, version: number) {
  return class extends Step {
    override async up(): Promise<void> {
      if (this.isTransactional()) this.addSql(`set local lock_timeout = ${String(LOCK_TIMEOUT_MS)}`);
      await (Step.prototype as Migration).up.call(this);
      if (version === 1) return;
      this.addSql(`insert into schema_version (version, name, oldest_beside, applied_by)
        values (${String(version)}, '${name}', ${String(oldestBeside)}, '${VERSION}')
        on conflict (version) do nothing`);
    }
  };
}
