import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { eventuallyMailed } from './demo/message-folder.ts';
import { createNarrator, type Narrator } from './demo/narrator.ts';
import { createDemoOperator } from './demo/operator.ts';
import { playScenario } from './demo/scenario.ts';
import type { DemoFile } from './seed.ts';
import { isRunning } from './start/await-ready.ts';

/**
 * `npm run demo`: plays a scenario that shows the whole service, against the one started by `npm start`. With
 * `--portal` it prints where each thing can be seen in the portal.
 */
const dataDir = process.env.DATA_DIR || '.data';
const { values: flags } = parseArgs({ options: { portal: { type: 'boolean', default: false } } });
const write = (text: string): void => {
  process.stdout.write(text);
};

async function readDemoFile(): Promise<DemoFile> {
  try {
    return JSON.parse(await readFile(join(dataDir, 'demo.json'), 'utf8'));
  } catch {
    throw new Error(
      'There is no demo.json in the data folder. Run `npm start` first, and leave it running.',
    );
  }
}

async function requireRunning(baseUrl: string): Promise<void> {
  const ready = await fetch(`${baseUrl}/statusz`, { signal: AbortSignal.timeout(5_000) }).catch(
    () => undefined,
  );
  if (ready && (await isRunning(ready.clone()))) return;
  throw new Error(
    ready
      ? `The service at ${baseUrl} is not ready: ${await ready.text()}`
      : `Nothing answers at ${baseUrl}. Run \`npm start\` in another terminal, and leave it running.`,
  );
}

/** Prints the sign-ins for the linked pages. */
function introduce({ chapter, link }: Narrator, demo: DemoFile): void {
  const { portalUrl, partnerLogin, adminLogin } = demo;
  chapter('To see everything that follows, sign in as these two in separate browser windows');
  link(`the shop’s owner, ${partnerLogin.email}, ${partnerLogin.password}`, `${portalUrl}/sign-in`);
  link(`an operator, ${adminLogin.email}, ${adminLogin.password}`, `${portalUrl}/sign-in`);
  link(
    `the operator’s second factor, each once: ${adminLogin.recoveryCodes.join(', ')}`,
    `${portalUrl}/second-factor`,
  );
}

try {
  const demo = await readDemoFile();
  await requireRunning(demo.baseUrl);
  const narrator = createNarrator(write);
  if (flags.portal) introduce(narrator, demo);
  await playScenario({
    baseUrl: demo.baseUrl,
    test: demo.test,
    live: demo.live,
    operator: createDemoOperator(demo.adminUrl, demo.adminToken),
    claimLinkOf: (rewardId) => eventuallyMailed(join(dataDir, 'messages'), rewardId),
    narrator,
    page: (what, path) => {
      if (flags.portal) narrator.link(what, demo.portalUrl + path);
    },
    shortWindowSeconds: 5,
  });
} catch (error) {
  console.error(`\n${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
