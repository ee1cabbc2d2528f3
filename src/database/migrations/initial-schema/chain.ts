// The tables of how far each chain was read.

export const CHAIN = `
-- The last block that was read, by its hash, and what was last known of the node's tip.
create table chain_cursor (
  network text primary key,
  height bigint not null,
  hash text collate "C" not null,
  block_time timestamptz not null,
  tip_height bigint not null,
  tip_read_at timestamptz
);

-- The blocks below it, to find the way back by in a reorganisation.
create table chain_block (
  network text not null,
  height bigint not null,
  hash text collate "C" not null,
  primary key (network, height)
);
`;
