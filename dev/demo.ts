import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createNarrator, type Narrator } from './demo/narrator.ts';
import { createOperator } from './demo/operator.ts';
import { eventuallyMailed } from './demo/outbox.ts';
import { playScenario } from './demo/scenario.ts';
import type { DemoFile } from './seed.ts';

/**
 * `npm run demo`: a scenario that shows the whole service, played against the one that `npm start` runs. With
 * `--portal` it says where each thing is seen in the portal.
 */
const dataDir = process.env.DATA_DIR || '.data';
const { values: wish } = parseArgs({ options: { portal: { type: 'boolean', default: false } } });
const write = (text: string): void => {
  process.stdout.write(text);
};

async function readDemoFile(): Promise<DemoFile> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  } catch {
    throw new Error(
      'There is no demo.json in the data folder: run `npm start` first, and leave it running.',
    );
  }
}

async function requireRunning(baseUrl: string): Promise<void> {
  const ready = await fetch(`${baseUrl}/statusz`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  if (ready?.ok) return;
  throw new Error(
    ready
      ? `The service at ${baseUrl} is not ready: ${await ready.text()}`
      : `Nothing answers at ${baseUrl}: run \`npm start\` in another terminal, and leave it running.`,
  );
}

/** Who signs in for the pages that the scenario links to. */
function introduce({ chapter, link }: Narrator, demo: DemoFile): void {
  const { portalUrl, partnerLogin, adminLogin } = demo;
  chapter('Two windows of a browser, signed in as these, see everything that follows');
  link(`the shop’s owner, ${partnerLogin.email}, ${partnerLogin.password}`, `${portalUrl}/sign-in`);
  link(`an operator, ${adminLogin.email}, ${adminLogin.password}`, `${portalUrl}/sign-in`);
}

try {
  const demo = await readDemoFile();
  await requireRunning(demo.baseUrl);
  const narrator = createNarrator(write);
  if (wish.portal) introduce(narrator, demo);
  await playScenario({
    baseUrl: demo.baseUrl,
    test: demo.test,
    live: demo.live,
    operator: createOperator(demo.adminUrl, demo.adminToken),
    claimLinkOf: (rewardId) => eventuallyMailed(join(dataDir, 'outbox'), rewardId),
    narrator,
    page: (what, path) => {
      if (wish.portal) narrator.link(what, demo.portalUrl + path);
    },
    shortWindowSeconds: 5,
  });
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
