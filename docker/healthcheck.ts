import { hostname } from 'node:os';
import { loadConfig } from '../platform/config.ts';
import { connectTemporal } from '../platform/temporal.ts';

/**
 * `healthcheck.ts api|worker`: ends with 0 when this container's process does its work. The API
 * answers `/healthz`; the worker is listed by Temporal as polling, from this host.
 */
const patienceMs = 4_000;
/** A poll lasts a minute at most; a worker not seen for longer is gone. */
const pollAgeMs = 70_000;
const workflowTasks = 1;

const config = loadConfig(process.env);

async function apiAnswers(): Promise<boolean> {
  const url = `http://127.0.0.1:${config.http.port}/healthz`;
  const response = await fetch(url, { signal: AbortSignal.timeout(patienceMs) });
  return response.ok;
}

/** A worker calls itself `<process id>@<host>`. */
async function workerPolls(): Promise<boolean> {
  const temporal = connectTemporal(config.temporal);
  const { pollers } = await temporal.withDeadline(Date.now() + patienceMs, () =>
    temporal.workflowService.describeTaskQueue({
      namespace: config.temporal.namespace,
      taskQueue: { name: config.temporal.taskQueue },
      taskQueueType: workflowTasks,
    }),
  );
  return (pollers ?? []).some(
    ({ identity, lastAccessTime }) =>
      identity?.endsWith(`@${hostname()}`) &&
      Date.now() - Number(lastAccessTime?.seconds ?? 0) * 1000 < pollAgeMs,
  );
}

try {
  const isHealthy = process.argv[2] === 'worker' ? await workerPolls() : await apiAnswers();
  process.exit(isHealthy ? 0 : 1);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
