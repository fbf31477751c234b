import type { Connection } from 'mongoose';
import { connectMongo } from '../../platform/mongo.ts';

/**
 * Connects as the service does, and waits longer: where many tests share a disk, an index or a journal
 * may take longer to write than a partner is to wait for.
 */
export const connectPatiently = (uri: string): Promise<Connection> => connectMongo(uri, 20_000);
