#!/bin/sh
# Dumps a small Turnpike database into a folder, and keeps the newest files: dump.sh URL FOLDER [KEEP]
#
# Everything since the dump is lost with the server. Where money moves all day, use pgBackRest; this is for a test
# deployment, and for a copy that another server and another version of PostgreSQL can read.
set -eu
url=$1 folder=$2 keep=${3:-14}
umask 077
name=turnpike-$(date -u +%Y%m%dT%H%M%SZ).dump
# Under another name until it is whole: a file that is there can be restored.
trap 'rm -f -- "$folder/$name.part"' EXIT
pg_dump --format=custom --dbname="$url" --file="$folder/$name.part"
pg_restore --list "$folder/$name.part" >/dev/null
sync "$folder/$name.part"
mv "$folder/$name.part" "$folder/$name"
# Names sort by time.
ls "$folder" | grep '^turnpike-[0-9TZ]*\.dump$' | sort -r | tail -n "+$((keep + 1))" | while read -r old; do
  rm -- "$folder/$old"
done
echo "$folder/$name"
