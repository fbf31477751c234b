# Stand-ins, by target, for the images that docker-compose.yml and the Dockerfile name, where no registry has them. Debian
# is made by mmdebstrap; the programs are those that `prove/bare-machine/images.ts` gathers.

FROM debian:trixie-slim AS node
COPY node /usr/local/bin/node
# A proxy on the way to the package registries may have a certificate of its own.
COPY ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
ADD npm.tgz /usr/local/lib/
RUN mv /usr/local/lib/package /usr/local/lib/npm && ln -s /usr/local/lib/npm/bin/npm-cli.js /usr/local/bin/npm \
  && chmod +x /usr/local/lib/npm/bin/npm-cli.js

FROM node AS mongosh
RUN npm install --prefix /opt/mongosh --omit=optional --no-audit --no-fund --ignore-scripts mongosh@2

FROM debian:trixie-slim AS mongo
RUN mkdir /docker-entrypoint-initdb.d && groupadd --gid 999 mongodb && useradd --uid 999 --gid mongodb --home-dir /data/db mongodb \
  && apt-get update -qq && apt-get install -qq -y --no-install-recommends openssl jq procps && rm -rf /var/lib/apt/lists/* \
  && mkdir -p /data/db && chown mongodb:mongodb /data/db
COPY --from=mongosh /usr/local/bin/node /usr/local/bin/node
COPY --from=mongosh /opt/mongosh /opt/mongosh
COPY --chmod=755 mongod /opt/mongod
COPY --chmod=755 mongodump mongorestore /usr/local/bin/
COPY --chmod=755 mongo-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
RUN ln -s /opt/mongosh/node_modules/.bin/mongosh /usr/local/bin/ \
  && printf '#!/bin/sh\nLD_LIBRARY_PATH=/opt/mongod exec /opt/mongod/mongod "$@"\n' > /usr/local/bin/mongod && chmod +x /usr/local/bin/mongod
ENV HOME=/data/db
VOLUME /data/db /data/configdb
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["mongod"]

FROM debian:trixie-slim AS postgres
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql postgres \
  && apt-get update -qq && apt-get install -qq -y --no-install-recommends postgresql-common \
  && sed -i 's/#create_main_cluster .*/create_main_cluster = false/' /etc/postgresql-common/createcluster.conf \
  && apt-get install -qq -y --no-install-recommends postgresql-17 && rm -rf /var/lib/apt/lists/* \
  && install -d -o postgres -g postgres -m 1777 /var/lib/postgresql/data /docker-entrypoint-initdb.d \
  && chmod 3777 /run/postgresql && sed -i "s/^#listen_addresses.*/listen_addresses = '*'/" /usr/share/postgresql/17/postgresql.conf.sample
COPY --chmod=755 postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PATH=$PATH:/usr/lib/postgresql/17/bin PGDATA=/var/lib/postgresql/data
VOLUME /var/lib/postgresql/data
STOPSIGNAL SIGINT
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]

# Alpine's shell has `pipefail`, as bash has.
FROM debian:trixie-slim AS temporal
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends netcat-openbsd && rm -rf /var/lib/apt/lists/* \
  && ln -sf bash /bin/sh && useradd --uid 1000 --create-home temporal
USER temporal

FROM temporal AS server
COPY --chmod=755 temporal-server /usr/local/bin/
COPY --chmod=755 temporal-entrypoint.sh /etc/temporal/entrypoint.sh
WORKDIR /etc/temporal
CMD ["/etc/temporal/entrypoint.sh"]

FROM temporal AS admin-tools
COPY --chmod=755 temporal-sql-tool /usr/local/bin/
COPY schema /etc/temporal/schema

FROM temporal AS ui
WORKDIR /home/ui-server
COPY --chmod=755 temporal-ui ./ui-server
COPY temporal-ui.yaml ./config/docker.yaml
ENTRYPOINT ["./ui-server", "--env", "docker", "start"]

FROM debian:trixie-slim AS caddy
COPY --chmod=755 caddy /usr/bin/caddy
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends libcap2-bin && rm -rf /var/lib/apt/lists/* \
  && setcap cap_net_bind_service=+ep /usr/bin/caddy && mkdir -p /config/caddy /data/caddy
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]

FROM debian:trixie-slim AS busybox
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends busybox-static && rm -rf /var/lib/apt/lists/*

# Holds a pod's network.
FROM scratch AS pause
COPY --from=busybox /bin/busybox /busybox
ENTRYPOINT ["/busybox", "sleep", "2147483647"]

FROM scratch AS coredns
COPY --chmod=755 coredns /coredns
ENTRYPOINT ["/coredns"]
