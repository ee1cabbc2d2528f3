// Operators: people who run the gateway, and their sessions, which belong to no merchant.

import { Migration } from '@mikro-orm/migrations';

export class OperatorsMigration extends Migration {
  override up(): void {
    this.addSql('alter table person add column is_operator boolean not null default false');
    this.addSql('alter table owner_session add column operator boolean not null default false');
    this.addSql('alter table owner_session alter column merchant_id drop not null');
    // Not checked for the rows of before, which all have a merchant: the table need not be read while it is locked.
    this.addSql(`alter table owner_session add constraint owner_session_operator_check
      check (operator = (merchant_id is null)) not valid`);
    // Whether the sign-in that it belongs to opens a session of an operator.
    this.addSql('alter table challenge add column operator boolean not null default false');
  }
}
