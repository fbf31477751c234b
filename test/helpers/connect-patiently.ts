import type { Connection } from 'mongoose';
import { connectMongo } from '../../platform/mongo.ts';

/**
 * Connects as the service does, with a longer timeout: where many tests share a disk, writing an index or
 * a journal can take longer than a partner should wait.
 */
export const connectPatiently = (uri: string): Promise<Connection> => connectMongo(uri, 20_000);

/** How long commits of tests are tried, likewise. */
export const patienceMs = 60_000;
