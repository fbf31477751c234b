import { setTimeout as sleep } from 'node:timers/promises';
import { isUnreachable } from '../../http/errors.ts';

/** On a busy machine everything takes minutes; a process that ends is noticed at once. */
const readyPatienceMs = 600_000;

/**
 * Waits until a process reports that it is ready.
 * @throws Error with the last response after a timeout
 */
export async function awaitReady(url: string, signal?: AbortSignal): Promise<void> {
  await awaitResponse(url, async (response) => response.ok, signal);
}

/**
 * Waits until the service answers and a worker polls. What still waits for its workflow, for which the status is 503, is
 * no reason to wait: only a running service drains it.
 * @param url of `/statusz`
 * @throws Error with the last response after a timeout
 */
export async function awaitRunning(url: string, signal?: AbortSignal): Promise<void> {
  await awaitResponse(url, isRunning, signal);
}

/** Whether the service answers and a worker polls. @param response of `/statusz` */
export async function isRunning(response: Response): Promise<boolean> {
  if (response.ok) return true;
  const body: unknown = await response.json().catch(() => null);
  const parts = { mongodb: false, temporal: false, worker: false, ...(body as object | null) };
  return parts.mongodb && parts.temporal && parts.worker;
}

/** @param signal ends the waiting, as if it were ready */
async function awaitResponse(
  url: string,
  isReady: (response: Response) => Promise<boolean>,
  signal?: AbortSignal,
): Promise<void> {
  const deadlineMs = Date.now() + readyPatienceMs;
  let last = 'no response';
  while (Date.now() < deadlineMs) {
    if (signal?.aborted) return;
    const response = await fetch(url).catch(() => undefined);
    if (response && (await isReady(response.clone()))) return;
    if (response) last = `${response.status} ${await response.text()}`;
    await sleep(250);
  }
  throw new Error(`The service did not become ready within ${readyPatienceMs / 1000} s: ${last}`);
}

/**
 * Repeats what Temporal and MongoDB refuse while they start: on a busy machine Temporal's namespace is there before all of
 * it knows, and MongoDB may still elect itself.
 * @param act can be repeated
 * @throws its last error after ten minutes, and any other error at once
 */
export async function onceServersCan<T>(act: () => Promise<T>): Promise<T> {
  const deadlineMs = Date.now() + readyPatienceMs;
  for (;;) {
    try {
      return await act();
    } catch (error) {
      if (!isUnreachable(error) || Date.now() > deadlineMs) throw error;
      await sleep(1_000);
    }
  }
}
