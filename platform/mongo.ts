import mongoose, { type Connection } from 'mongoose';

/** Longest wait for a server, a socket or a pooled connection; a dead database is a 503, not a hang. */
const mongoPatienceMs = 2_500;

/**
 * Opens a connection whose every write is acknowledged by a majority and journaled: what was answered
 * survives the loss of any process.
 */
export async function connectMongo(uri: string): Promise<Connection> {
  return await mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: mongoPatienceMs,
      connectTimeoutMS: mongoPatienceMs,
      waitQueueTimeoutMS: mongoPatienceMs,
      socketTimeoutMS: mongoPatienceMs * 2,
      maxPoolSize: 50,
      writeConcern: { w: 'majority', journal: true },
    })
    .asPromise();
}
