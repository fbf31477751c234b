import mongoose, { type Connection } from 'mongoose';

/** A dead database is a 503, not a hang. */
const defaultPatienceMs = 2_500;

/**
 * Whether the driver takes a URI, of one host or of several: it is asked itself, and connects to nothing.
 * @returns what it says is wrong, without the URI, in which a password may stand; undefined for nothing
 */
export function mongoUriProblem(uri: string): string | undefined {
  try {
    new mongoose.mongo.MongoClient(uri);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(uri, 'the URI') : String(error);
  }
}

/**
 * Opens a connection whose every write is acknowledged by a majority and journaled: what was answered
 * survives the loss of any process.
 * @param patienceMs the longest wait for a server, a socket or a pooled connection
 */
export async function connectMongo(
  uri: string,
  patienceMs = defaultPatienceMs,
): Promise<Connection> {
  return await mongoose
    .createConnection(uri, {
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      serverSelectionTimeoutMS: patienceMs,
      connectTimeoutMS: patienceMs,
      waitQueueTimeoutMS: patienceMs,
      socketTimeoutMS: patienceMs * 2,
      maxPoolSize: 50,
      writeConcern: { w: 'majority', journal: true },
    })
    .asPromise();
}
