// What feeds say of prices, and the figures made of it (contract-invoices, section 7).

import { Migration } from '@mikro-orm/migrations';

export class RateFeedsMigration extends Migration {
  override up(): void {
    // lease: until when a process polls the feed; it is also what tells its claim from a later one.
    this.addSql(`create table rate_feed (
      name text collate "C" primary key,
      due_at timestamptz not null,
      lease timestamptz,
      failures int not null default 0
    )`);
    this.addSql(`create table rate_tick (
      feed text collate "C" not null,
      code text collate "C" not null,
      usd numeric(36, 18) not null check (usd > 0),
      at timestamptz not null,
      primary key (feed, code)
    )`);
    // The newest figure of each minute; usd is null after a jump, whose row lies half a minute later so that it leaves
    // the last good figure as it was.
    this.addSql(`create table rate (
      code text collate "C" not null,
      minute timestamptz not null,
      usd numeric(36, 18) check (usd > 0),
      at timestamptz not null,
      sources json not null,
      primary key (code, minute)
    )`);
    this.addSql('create index rate_minute on rate (minute)');
  }
}
