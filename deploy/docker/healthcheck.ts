import { hostname } from 'node:os';
import { loadConfig } from '../../platform/config.ts';
import { connectTemporal } from '../../temporal/connection.ts';
import { pollersOf } from '../../temporal/task-queues.ts';

/**
 * `healthcheck.ts api|portal|worker`: ends with 0 when this container's process does its work. The API
 * and the portal answer `/healthz`; the worker is listed by Temporal as polling, from this host.
 */
const patienceMs = 4_000;

const config = loadConfig(process.env);

async function answersAt(port: number): Promise<boolean> {
  const url = `http://127.0.0.1:${port}/healthz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  return response.ok;
}

/** A worker calls itself `<process id>@<host>`. */
async function workerPolls(): Promise<boolean> {
  const temporal = connectTemporal(config.temporal);
  const pollers = await temporal.withDeadline(Date.now() + patienceMs, () =>
    pollersOf(temporal, config.temporal.taskQueue, Date.now()),
  );
  return pollers.some((identity) => identity.endsWith(`@${hostname()}`));
}

try {
  const checks: Record<string, () => Promise<boolean>> = {
    api: () => answersAt(config.http.port),
    portal: () => answersAt(config.portal.port),
    worker: workerPolls,
  };
  const isHealthy = await checks[process.argv[2] ?? 'api']?.();
  process.exit(isHealthy ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
