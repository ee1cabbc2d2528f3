// What lies at deposit addresses, kept as a figure; which outputs are spent; and what makes a payout wait for a deposit that
// left the chain.

import { Migration } from '@mikro-orm/migrations';

// By the order that an address was issued for, whose ids grow with time: new rows come at the end of the key's index. The
// payment is checked by the statements that insert; a foreign key would cost a look for each deposit that is credited.
const HOLDING = `
create table holding (
  payment_id text collate "C" not null,
  network text collate "C" not null,
  currency text collate "C" not null,
  units numeric(78, 0) not null,
  primary key (payment_id, network, currency)
);
create index holding_largest on holding (network, currency, units desc, payment_id) where units > 0;
`;

const HISTORY = `
with place(network, account, coin) as (values ('ETH', 'evm', 'ETH'), ('BSC', 'evm', 'BNB'), ('POLYGON', 'evm', 'POL'),
  ('ARBITRUM', 'evm', 'ETH'), ('OPTIMISM', 'evm', 'ETH'), ('BASE', 'evm', 'ETH'), ('AVALANCHE', 'evm', 'AVAX'),
  ('TRON', 'tron', 'TRX'), ('SOL', 'sol', 'SOL')),
settled as (select t.*, l.account, l.coin from transfer t join place l using (network) where t.status in ('CONFIRMED', 'FAILED')),
moved as (
  select network, account, sender_key as key, currency, -amount as units from settled where status = 'CONFIRMED'
  union all
  select network, account, recipient_key, currency, amount from settled where status = 'CONFIRMED' and purpose <> 'PAYOUT'
  union all
  select network, account, coalesce(payer_key, sender_key), coin, -cost from settled
)
insert into holding (payment_id, network, currency, units)
select payment_id, network, currency, sum(units) from (
  select payment_id, network, currency, amount as units from deposit join place using (network) where credited
  union all
  select payment_id, network, currency, amount from suspense_movement join place using (network) where kind = 'CREDIT'
  union all
  select p.id, m.network, m.currency, m.units from moved m
  join payment p on (p.derivation_account, p.address_key) = (m.account, m.key)
) as part group by 1, 2, 3;
`;

// The sweeps of an address are in its figure now.
const SWEPT = 'drop index transfer_swept;';

// Credited, and on no branch at present: few at any time.
const UNSURE = 'create index deposit_unsure on deposit (merchant_id) where credited and block_height is null;';

// Outputs that a settled transaction spent are looked at no more: what can be spent is found without what was.
const SPENT = `
alter table deposit add column spent boolean not null default false;
alter table funding add column spent boolean not null default false;
alter table change_output add column spent boolean not null default false;
create temporary table spent_before on commit drop as
  select s.network, split_part(s.outpoint, ':', 1) as hash, split_part(s.outpoint, ':', 2)::int as place
  from spent_output s where exists (select 1 from transfer t
    where (t.network, t.sender_key, t.nonce) = (s.network, s.sender_key, s.nonce) and t.status = 'CONFIRMED');
update deposit d set spent = true from spent_before b where (d.network, d.tx_hash, d.ordinal) = (b.network, b.hash, b.place);
update funding f set spent = true from spent_before b where (f.network, f.tx_hash, f.ordinal) = (b.network, b.hash, b.place);
update change_output c set spent = true from spent_before b join transfer t on (t.network, t.tx_hash) = (b.network, b.hash)
  where c.transfer_id = t.id and c.ordinal = b.place;
drop table spent_before;
create index deposit_unspent on deposit (network, amount) where credited and not spent and network in ('BTC', 'LTC');
create index funding_output on funding (network, tx_hash, ordinal);
create index change_output_unspent on change_output (transfer_id) where not spent;
`;

export class HoldingsMigration extends Migration {
  override up(): void {
    this.addSql(HOLDING);
    this.addSql(HISTORY);
    this.addSql(SWEPT);
    this.addSql(UNSURE);
    this.addSql(SPENT);
  }
}
