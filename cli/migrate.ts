import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { keepIntegrationEventsFor } from '../models/store/retention.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';

/** To build an index of what is large takes its time. */
const indexPatienceMs = 600_000;

/** `npm run migrate`: indexes, the namespace, search attributes, schedules. Safe to run again. */
const config = loadConfig(process.env);
const mongo = await connectMongo(config.mongodbUri, indexPatienceMs);
const models = createModels(mongo);
await buildIndexes(models);
await keepIntegrationEventsFor(models, config.integrationEventRetentionDays);
await mongo.close();
const { address, namespace, retentionDays } = config.temporal;
const security = readSecurity(config.temporal);
const isMade = await ensureNamespace({ address, namespace }, retentionDays, security);
await registerSearchAttributes(address, namespace, security);
const client = connectTemporal(config.temporal);
await ensureSchedules(client, config.temporal.taskQueue);
await client.connection.close();
process.stdout.write(
  `Indexes built, ${isMade ? `namespace ${namespace} made, ` : ''}search attributes registered, schedules set.\n`,
);
