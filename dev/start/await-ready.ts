import { setTimeout as sleep } from 'node:timers/promises';

/** A first start bundles the workflows, which takes a while on a small machine. */
const readyPatienceMs = 120_000;

/**
 * Waits until a process reports that it is ready.
 * @throws Error with the last response after a timeout
 */
export async function awaitReady(url: string): Promise<void> {
  const deadlineMs = Date.now() + readyPatienceMs;
  let last = 'no response';
  while (Date.now() < deadlineMs) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return;
    if (response) last = `${response.status} ${await response.text()}`;
    await sleep(250);
  }
  throw new Error(`The service did not become ready within ${readyPatienceMs / 1000} s: ${last}`);
}
