import { accessSync, constants } from 'node:fs';
import mongoose, { type Connection } from 'mongoose';
import { isTracing, traceCommands } from './tracing.ts';

/** For a process that answers requests: short, so that a dead database leads to a 503 and not to a hang. */
export const servingPatienceMs = 2_500;

/** For a command or a job, which a busy server or a failover delays without failing it. */
const defaultPatienceMs = 20_000;

/**
 * Options that name a file. The driver would only notice a missing one while connecting,
 * repeatedly.
 */
const fileOptions = ['tlsCAFile', 'tlsCertificateKeyFile', 'tlsCRLFile'] as const;

/**
 * Checks a URI with the driver's own parser, without connecting.
 * @returns the problem, without the URI, which may contain a password; undefined if it is valid
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
    const message = error instanceof Error ? error.message : String(error);
    return withoutSecrets(message, uri);
  }
}

/** A message of the driver, which may quote the URI, or what it took for a host or an option. */
function withoutSecrets(message: string, uri: string): string {
  const end = uri.lastIndexOf('@');
  const userAndPassword = end < 0 ? '' : uri.slice(0, end).replace(/^[^/]*\/\//, '');
  const parts = userAndPassword.split(/[:/?#&=@,]/).filter((part) => part !== '');
  const quoted = [...parts, ...parts.map(decoded)].toSorted((a, b) => b.length - a.length);
  return quoted.reduce(
    (text, part) => text.replaceAll(part, '…'),
    message.replaceAll(uri, 'the URI'),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
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
 * What the service relies on, whatever the URI says. Only options named as in a URI take precedence
 * over it.
 */
const guarantees = {
  // What was acknowledged survives the loss of any process, and of a minority of the members.
  w: 'majority',
  journal: true,
  // Decisions are based on data that cannot be rolled back: a primary that is being replaced may
  // have writes that are lost. A ledger entry based on one would leave a gap in its chain.
  readConcernLevel: 'majority',
  readPreference: 'primary',
  // A failover delays requests without failing them: the driver retries what the old primary did
  // not acknowledge, and the members recognize a write that they already have. A standalone server
  // is never sent anything twice.
  retryWrites: true,
  retryReads: true,
} as const;

/**
 * The server ends a transaction that is older: a process that is killed amid a commit then no longer holds up the
 * partner whose money it moved. It is a setting of each member (docs/operate/scale.md, MongoDB as a replica set).
 */
export const transactionLifetimeSeconds = 5;

/** Sets it on the primary. @returns whether this user may */
export async function limitTransactions(connection: Connection): Promise<boolean> {
  const admin = connection.getClient().db('admin');
  return await admin
    .command({ setParameter: 1, transactionLifetimeLimitSeconds: transactionLifetimeSeconds })
    .then(
      () => true,
      () => false,
    );
}

/**
 * A member that neither answers nor closes its connections is considered lost after this plus the
 * longest wait; what waits for it is then sent to the new primary, within the time limit of a
 * response.
 */
const heartbeatMs = 1_000;

/**
 * Opens a connection with these guarantees.
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
