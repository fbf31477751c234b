import { loadConfig } from '../platform/config.ts';
import { connectMongo } from '../platform/mongo.ts';
import { registerSearchAttributes } from '../platform/temporal.ts';
import { buildIndexes, createModels } from './index.ts';

/** `npm run migrate`: builds the indexes and registers the search attributes. Safe to run again. */
const config = loadConfig(process.env);
const mongo = await connectMongo(config.mongodbUri);
await buildIndexes(createModels(mongo));
await mongo.close();
const { address, namespace, tls, apiKey } = config.temporal;
await registerSearchAttributes(address, namespace, {
  tls,
  ...(apiKey !== undefined && { apiKey }),
});
process.stdout.write('Indexes are built and search attributes registered.\n');
