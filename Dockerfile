# One image for every process of Partner Events; the command says which one it is:
#   node api/server.ts (the default), node portal/server.ts, node cli/migrate.ts, and the worker (docker-compose.yml)

# Build-time tools stay out of the final image: a shell, npm and its cache, and the bundlers of the workflows and of the partners' command.
FROM node:24-slim AS made
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json ./clients/typescript/
# Of Pico only one style sheet is needed, and of the type face four weights; delete the rest.
RUN npm ci --omit=dev --no-audit --no-fund \
  && find node_modules/@picocss/pico -type f ! -name pico.min.css ! -name 'LICENSE*' ! -name package.json -delete \
  && find node_modules/@expo-google-fonts -type f ! -name '*_400Regular.ttf' ! -name '*_500Medium.ttf' ! -name '*_600SemiBold.ttf' ! -name '*_700Bold.ttf' ! -name 'LICENSE*' ! -name package.json -delete
# Temporal's native part comes for every platform; keep one. The Node that `npm start` installs is in the image already.
RUN cp node_modules/node-linux-*/LICENSE LICENSE-node \
  && rm -r node_modules/node-linux-* \
  && find node_modules/@temporalio/core-bridge/releases -mindepth 1 -maxdepth 1 \
    ! -name "$(uname -m)-unknown-linux-gnu" -exec rm -r {} +
COPY deploy/docker/bundle-workflows.ts ./deploy/docker/
COPY temporal/workflows.ts ./temporal/
COPY domain ./domain
COPY workflows ./workflows
RUN node deploy/docker/bundle-workflows.ts workflow-bundle.js
COPY deploy/docker/bundle-command.ts ./deploy/docker/
COPY portal/documents/bundle-command.ts ./portal/documents/
COPY clients ./clients
RUN node deploy/docker/bundle-command.ts partner-events.mjs
# Files that Node does not read. Some packages have their license only in their README.
RUN find node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete
# For health checks: a Node process for each would cost more than the service itself when idle.
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends busybox-static && rm -rf /var/lib/apt/lists/*
# The volumes mounted here inherit this owner.
RUN mkdir -p data/messages data/audit

# The clients' packages. Their compiler stays out of the image.
FROM node:24-slim AS packages
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY clients/typescript/package.json ./clients/typescript/
RUN npm ci --no-audit --no-fund
COPY tsconfig.json ./
COPY domain ./domain
COPY deploy/docker/pack-clients.ts ./deploy/docker/
COPY portal/documents/bundle-command.ts portal/documents/pack-clients.ts portal/documents/zip.ts ./portal/documents/
COPY clients ./clients
RUN node deploy/docker/pack-clients.ts client-packages

# Contains the C library and the root certificates; no shell and no package manager. Of Busybox, its name permits `wget` alone.
FROM gcr.io/distroless/cc-debian13

# Without MALLOC_ARENA_MAX, glibc keeps an arena per thread, and a worker has many threads.
ENV NODE_ENV=production \
    MALLOC_ARENA_MAX=2 \
    HOST=0.0.0.0 \
    MESSAGE_DIR=/data/messages \
    WORKFLOW_BUNDLE=/app/workflow-bundle.js \
    COMMAND_BUNDLE=/app/partner-events.mjs \
    CLIENT_PACKAGES=/app/client-packages
WORKDIR /app

COPY --from=made /usr/local/bin/node /usr/local/bin/node
COPY --from=made /bin/busybox /usr/local/bin/wget
COPY --from=made /usr/share/doc/busybox-static/copyright ./LICENSE-busybox
COPY --from=made --chown=1000:1000 /app/data /data
COPY --from=made /app/node_modules ./node_modules
COPY --from=packages /app/client-packages ./client-packages
COPY --from=made /app/workflow-bundle.js /app/partner-events.mjs /app/LICENSE-node ./
COPY package.json LICENSE ./
COPY activities ./activities
COPY api ./api
COPY audit ./audit
COPY cli ./cli
COPY clients ./clients
COPY operations ./operations
COPY deploy ./deploy
COPY domain ./domain
COPY connect ./connect
COPY events ./events
COPY http ./http
COPY jobs ./jobs
COPY messaging ./messaging
COPY models ./models
COPY platform ./platform
COPY portal ./portal
COPY reference ./reference
COPY temporal ./temporal
COPY views ./views
COPY worker ./worker
COPY workflows ./workflows

USER 1000:1000

# The API, the portal, the operators' API, and the metrics of each process.
EXPOSE 3000 3001 3002 9464
# For the default command; docker-compose.yml sets the worker's.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=6 \
  CMD ["wget", "-q", "-O", "/dev/null", "http://127.0.0.1:3000/healthz"]
CMD ["node", "api/server.ts"]
