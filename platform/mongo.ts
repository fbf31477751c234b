import { accessSync, constants } from 'node:fs';
import mongoose, { type Connection } from 'mongoose';
import { isTracing, traceCommands } from './tracing.ts';

/** A dead database is a 503, not a hang. */
const defaultPatienceMs = 2_500;

/** Options that name a file, which the driver would only miss as it connects, again and again. */
const fileOptions = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;

/**
 * Whether the driver takes a URI, of one host or of several: it is asked itself, and connects to nothing.
 * @returns what it says is wrong, without the URI, in which a password may stand; undefined for nothing
 */
export function mongoUriProblem(uri: string): string | undefined {
  try {
    const { options } = new mongoose.mongo.MongoClient(uri);
    for (const name of fileOptions) {
      const file = options[name];
      if (file !== undefined && !canRead(file))
        return `${name} names ${file}, which cannot be read`;
    }
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replaceAll(uri, 'the URI') : String(error);
  }
}

function canRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * What the service relies on, whatever the URI says. Each is given by the name that it has in a URI: only then
 * does the driver let it win.
 */
const guarantees = {
  // What was answered survives the loss of any process, and of a minority of the members.
  w: 'majority',
  journal: true,
  // What is decided on cannot be undone: a primary that is being replaced has writes that nobody keeps. A ledger's
  // next entry on such a write would leave a hole in its chain.
  readConcernLevel: 'majority',
  readPreference: 'primary',
  // A failover costs a request its time, not its success: the driver sends once more what the old primary did not
  // answer. The members know a write that they have already; of a standalone server nothing is asked twice.
  retryWrites: true,
  retryReads: true,
} as const;

/**
 * A member that neither answers nor closes its connections is given up for lost after this and the longest wait
 * together, and what waits for it is sent to the new primary, within the time that an answer may take.
 */
const heartbeatMs = 1_000;

/**
 * Opens a connection with the guarantees above.
 * @param patienceMs the longest wait for a server, a socket or a pooled connection
 */
export async function connectMongo(
  uri: string,
  patienceMs = defaultPatienceMs,
): Promise<Connection> {
  const connection = await mongoose
    .createConnection(uri, {
      ...guarantees,
      autoIndex: false,
      autoCreate: false,
      bufferCommands: false,
      heartbeatFrequencyMS: heartbeatMs,
      serverSelectionTimeoutMS: patienceMs,
      connectTimeoutMS: patienceMs,
      waitQueueTimeoutMS: patienceMs,
      socketTimeoutMS: patienceMs * 2,
      maxPoolSize: 50,
      monitorCommands: isTracing(),
    })
    .asPromise();
  traceCommands(connection);
  return connection;
}
