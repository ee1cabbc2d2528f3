// The browsers that people have signed in from.

import { Migration } from '@mikro-orm/migrations';

/** digest: SHA-256 of the secret in the browser's cookie. A browser may be several people's. */
const PERSON_DEVICE = `create table person_device (
  digest bytea not null,
  person_id text collate "C" not null references person (id),
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  primary key (digest, person_id)
)`;

export class DevicesMigration extends Migration {
  override up(): void {
    this.addSql(PERSON_DEVICE);
    this.addSql('create index person_device_person on person_device (person_id, last_seen_at)');
    this.addSql('create index person_device_age on person_device (last_seen_at)');
  }
}
