// The span below which work goes on in another process, so that a trace leads from a call to its webhook; and the trace
// of a call in the API log. Null without tracing, and for what is not sampled.

import { Migration } from '@mikro-orm/migrations';

export class TracesMigration extends Migration {
  override up(): void {
    this.addSql(`alter table payout add column trace text collate "C"`);
    this.addSql(`alter table event add column trace text collate "C"`);
    this.addSql(`alter table api_log add column trace_id text collate "C"`);
  }
}
