-- The roles of a Turnpike database, each with no more than it needs. Run it once on the database, as a superuser or as
-- a role that may create roles and owns the database and all that is in it:
--
--   psql -v ON_ERROR_STOP=1 -f deploy/postgres/roles.sql postgresql://postgres@db.internal/turnpike
--
-- It may be run again at any time. The roles are named after the database, so that two deployments on one server share
-- none. Here it makes the roles and gives the schema to their owner; what each may do with each table is granted by
-- `npm run migrate`, which must be run as the owner after this. None of the roles has a password yet: set one for each
-- that logs in by it (\password turnpike_api).
--
--   turnpike_owner        migrations alone: owns the schema, and with it the triggers that keep the ledger append-only
--   turnpike_api          processes with ROLES=api; likewise turnpike_observer, turnpike_dispatcher,
--                         turnpike_mailer, turnpike_signer
--   turnpike_operator     npm run operator, ledger, ledger:verify, merchant, wallet and recover
--   turnpike_monitor      people and exporters that only look: everything but secrets
--   turnpike_directory    CELL_DIRECTORY_URL of all cells, in the database that has their directory
--
-- A process with several of the gateway's roles gets a role of its own that is a member of theirs:
--
--   create role turnpike_gateway login in role turnpike_api, turnpike_observer, turnpike_dispatcher,
--     turnpike_mailer;

do $$
declare
  prefix constant text := current_database();
  owner constant text := prefix || '_owner';
  kind text;
  name text;
  item text;
begin
  foreach kind in array array['owner', 'api', 'observer', 'dispatcher', 'mailer', 'signer', 'operator', 'monitor',
    'directory'] loop
    name := prefix || '_' || kind;
    if not exists (select from pg_roles where rolname = name) then
      execute format('create role %I login', name);
    end if;
    -- Behind a pooler the gateway cannot set these itself. A commit that promises more is left as it is.
    if current_setting('synchronous_commit') <> 'remote_apply' then
      execute format('alter role %I set synchronous_commit = on', name);
    end if;
    execute format('alter role %I set idle_in_transaction_session_timeout = ''30s''', name);
    execute format('grant connect on database %I to %I', prefix, name);
    execute format('grant usage on schema public to %I', name);
  end loop;

  -- A superuser may give things to anybody; others only to roles that they belong to.
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant %I to %I', owner, current_user);
  end if;

  -- Nobody else connects, and nobody makes tables: a temporary one would be found before the ledger's own by the
  -- trigger that checks a posting.
  execute format('revoke all on database %I from public', prefix);
  revoke all on schema public from public;

  -- What a deployment without roles has made is the owner's from now on. What belongs to an extension stays.
  execute format('grant create on schema public to %I', owner);
  for item in
    select format('table %s', c.oid::regclass) from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm')
      and pg_get_userbyid(c.relowner) <> owner
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    union all
    select format('function %s', p.oid::regprocedure) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prokind = 'f' and pg_get_userbyid(p.proowner) <> owner
      and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')
  loop
    execute format('alter %s owner to %I', item, owner);
  end loop;

  -- For exporters: the server's own figures. Some providers keep this right to themselves.
  begin
    execute format('grant pg_monitor to %I', prefix || '_monitor');
  exception when insufficient_privilege then
    raise notice 'pg_monitor was not granted to %: %', prefix || '_monitor', sqlerrm;
  end;
end $$;
