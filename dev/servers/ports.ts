import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';

export interface PortRequest {
  /** The variable that sets the port explicitly, for example `MONGODB_PORT`; some have none. */
  variable?: string | undefined;
  /** The server's name, for messages. */
  what: string;
  /** Used if the variable is not set; 0 for any free port. */
  preferredPort: number;
  /** Chosen for others that are not listening yet. */
  except?: readonly number[];
}

/** How many ports beyond the preferred one are tried. */
const portsTried = 50;

/**
 * Chooses a port on the loopback address: the explicit one, or else the preferred one, or else the next free
 * one, with a notice.
 * @throws Error if the explicit port is taken or invalid, or no port is free
 */
export async function choosePort(
  request: PortRequest,
  env: NodeJS.ProcessEnv,
  log: (line: string) => void,
): Promise<number> {
  const { variable } = request;
  const value = variable && env[variable];
  if (value) {
    const port = Number(value);
    if (!Number.isInteger(port) || port < 1 || port > 65_535) {
      throw new Error(`${variable} is "${value}"; it must be a port from 1 to 65535.`);
    }
    if (await isFree(port)) return port;
    throw new Error(
      `${variable} is ${port}, but that port is taken, so ${request.what} cannot use it. ` +
        `Stop the process that listens there, or choose another ${variable}.`,
    );
  }
  if (request.preferredPort === 0) return await anyFreePort();
  const lastPort = Math.min(request.preferredPort + portsTried, 65_535);
  for (let port = request.preferredPort; port <= lastPort; port += 1) {
    if (request.except?.includes(port) || !(await isFree(port))) continue;
    if (port !== request.preferredPort) {
      log(`Port ${request.preferredPort} is taken; ${request.what} uses ${port}.`);
    }
    return port;
  }
  throw new Error(`No free port from ${request.preferredPort} to ${lastPort} for ${request.what}.`);
}

/**
 * Nothing answers there, and listening succeeds. Both are checked: some systems allow listening next to a
 * server that listens on all addresses, and clients would reach the wrong one.
 */
export async function isFree(port: number): Promise<boolean> {
  return !(await answers(port)) && (await listenOnce(port)) !== undefined;
}

/** Below the ephemeral ports, so that no connection takes it meanwhile. */
const [anyFrom, anyTo] = [10_000, 30_000];

async function anyFreePort(): Promise<number> {
  for (let tries = 0; tries < portsTried; tries += 1) {
    const port = randomInt(anyFrom, anyTo);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port from ${anyFrom} to ${anyTo}.`);
}

/**
 * Starts a server that cannot report which port it got, and starts it again if another process took the port
 * that was chosen for it; the next choice then says so.
 */
export async function onFreePort<T>(start: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start();
    } catch (error) {
      const isTaken = error instanceof Error && /address already in use/i.test(error.message);
      if (!isTaken || tries === portsTried) throw error;
    }
  }
}

/** Whether something accepts connections on this loopback port. */
export function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
    const finish = (result: boolean): void => {
      socket.destroy();
      resolve(result);
    };
    socket.once('connect', () => finish(true));
    socket.once('timeout', () => finish(false));
    socket.once('error', () => finish(false));
  });
}

function listenOnce(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ host: '127.0.0.1', port, exclusive: true }, () => {
      const address = server.address();
      const listened = address && typeof address === 'object' ? address.port : undefined;
      server.close(() => resolve(listened));
    });
  });
}
