// Numbers events at once, in place of the dispatcher's loop.

import type { Setup } from '../domain/book.fixture.ts';

/** Numbers what was recorded so far, in the order of ids. */
export const writeNumbers = (setup: Setup) =>
  setup.sql(
    `with numbered as (
       select id, row_number() over (order by id) + (select coalesce(max(position), 0) from event) as position
       from event where position is null
     ), counted as (
       insert into event_counter (scope, last) select 'position', max(position) from numbered having count(*) > 0
       on conflict (scope) do update set last = excluded.last
     )
     update event e set position = n.position, sequence = n.position from numbered n where n.id = e.id`,
  );
