#!/bin/sh
# On an empty volume, creates the cluster with its superuser, as PostgreSQL's image does.
set -eu
if [ "${1:-}" = postgres ] && [ ! -e "$PGDATA/PG_VERSION" ]; then
  chmod 700 "$PGDATA"
  initdb --username "$POSTGRES_USER" --pwfile "$POSTGRES_PASSWORD_FILE" --auth-local trust --auth-host scram-sha-256
  echo 'host all all all scram-sha-256' >> "$PGDATA/pg_hba.conf"
  set -- "$@" -c listen_addresses='*'
fi
exec "$@"
