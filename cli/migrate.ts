import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { keepIntegrationEventsFor } from '../models/store/retention.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';

/** To build an index of what is large takes its time. */
const indexPatienceMs = 600_000;

/** `npm run migrate`: indexes, search attributes, schedules. Safe to run again. */
const config = loadConfig(process.env);
const mongo = await connectMongo(config.mongodbUri, indexPatienceMs);
const models = createModels(mongo);
await buildIndexes(models);
await keepIntegrationEventsFor(models, config.integrationEventRetentionDays);
await mongo.close();
const { address, namespace } = config.temporal;
await registerSearchAttributes(address, namespace, readSecurity(config.temporal));
const client = connectTemporal(config.temporal);
await ensureSchedules(client, config.temporal.taskQueue);
await client.connection.close();
process.stdout.write('Indexes built, search attributes registered, schedules set.\n');
