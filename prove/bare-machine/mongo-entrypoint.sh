#!/bin/bash
# On an empty volume, creates the root user with a mongod that only this container reaches, as MongoDB's image does.
set -euo pipefail
if [ "${1:-}" = mongod ] && [ -n "${MONGO_INITDB_ROOT_USERNAME:-}" ] && [ ! -e /data/db/WiredTiger ]; then
  mongod --dbpath /data/db --bind_ip 127.0.0.1 --port 27018 --logpath /dev/null --fork > /dev/null
  mongosh --quiet --port 27018 admin --eval 'db.createUser({
    user: process.env.MONGO_INITDB_ROOT_USERNAME,
    pwd: require("node:fs").readFileSync(process.env.MONGO_INITDB_ROOT_PASSWORD_FILE, "utf8"),
    roles: ["root"],
  })'
  mongod --dbpath /data/db --shutdown > /dev/null
fi
exec "$@"
