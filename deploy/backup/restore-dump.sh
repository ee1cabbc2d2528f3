#!/bin/sh
# Loads a dump into an empty database that has Turnpike's roles (deploy/postgres/roles.sql): restore-dump.sh FILE URL
#
# URL is the superuser's. Everything will belong to the database's owner, who grants the rights with `npm run migrate`.
set -eu
file=$1 url=$2
owner=$(psql --no-psqlrc --tuples-only --no-align --dbname="$url" --command="select current_database() || '_owner'")
pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --role="$owner" --dbname="$url" "$file"
