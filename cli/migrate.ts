import { buildIndexes, createModels } from '../models/schemas/index.ts';
import { keepRequestLogFor } from '../models/store/retention.ts';
import { loadConfig } from '../platform/config.ts';
import { connectMongo, limitTransactions, transactionLifetimeSeconds } from '../platform/mongo.ts';
import { connectTemporal, registerSearchAttributes } from '../temporal/connection.ts';
import { ensureNamespace } from '../temporal/namespace.ts';
import { ensureSchedules } from '../temporal/schedules.ts';
import { readSecurity } from '../temporal/security.ts';

/** Long enough to build an index of a large collection. */
const indexTimeoutMs = 600_000;

/**
 * `npm run migrate` creates the indexes, limits transactions, and creates the namespace, the search attributes and the schedules. Running
 * it again is safe.
 */
const config = loadConfig(process.env);
const say = (what: string) => process.stderr.write(`${what} …\n`);
say('MongoDB: indexes');
const mongo = await connectMongo(config.mongodbUri, indexTimeoutMs);
const models = createModels(mongo);
await buildIndexes(models);
await keepRequestLogFor(models, config.requestLogRetentionDays);
if (!(await limitTransactions(mongo))) {
  const wanted = `transactionLifetimeLimitSeconds to ${transactionLifetimeSeconds}`;
  say(`MongoDB: this user may not set ${wanted}, so each member has to be started with it`);
}
await mongo.close();
const { address, namespace } = config.temporal;
say(`Temporal at ${address}: namespace ${namespace}, search attributes, schedules`);
const security = readSecurity(config.temporal);
const isNew = await ensureNamespace({ address, namespace }, security);
await registerSearchAttributes(address, namespace, security);
const client = connectTemporal(config.temporal);
await ensureSchedules(client, config.temporal.taskQueue);
await client.connection.close();
process.stdout.write(
  `Indexes built, ${isNew ? `namespace ${namespace} created, ` : ''}search attributes registered, schedules set.\n`,
);
