import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findChromium } from './browser.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { stopAllGuarded } from './guarded.ts';
import { log } from './log.ts';
import { startPassingServers } from './passing-servers.ts';
import { runAva } from './test/run-ava.ts';
import { runCheck } from './test/run-check.ts';
import type { TestCounts } from './test/tap.ts';
import { orderly, untilStopped } from './until-stopped.ts';

/**
 * `npm test`: lint, types, then the tests against servers of their own, on free ports and with data of
 * their own. With arguments (files, `--match=…`) it runs those tests alone. `npm run test:e2e` runs those
 * of the real processes and of the pages in a browser, which a run without arguments leaves out. The
 * last line says how many passed and failed.
 */
const avaArgs = process.argv.slice(2);
const allButEndToEnd = ['test/**/*.test.ts', '!test/e2e/**'];

async function runTests(): Promise<TestCounts> {
  if (avaArgs.length === 0) {
    const lint = await runCheck('lint', '@biomejs/biome/bin/biome', ['check', '.'], log);
    const types = await runCheck('types', 'typescript/bin/tsc', ['--noEmit'], log);
    const failed = [lint, types].filter((passed) => !passed).length;
    if (failed > 0) return { passed: 0, failed };
  }
  // Runs grow too large soon, so that a test can see what becomes of one.
  const temporalSettings = ['limit.historyCount.suggestContinueAsNew=400'];
  const dataDir = await mkdtemp(join(tmpdir(), 'partner-purchase-events-test-'));
  // Removed when this process exits, since the servers use it until then.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const { servers, env } = await startPassingServers({ dataDir, log, temporalSettings });
  return await runAva(avaArgs.length === 0 ? allButEndToEnd : avaArgs, {
    ...env,
    CHROMIUM_PATH: await chromiumPath(env),
    TEMPORAL_UI_URL: servers.temporalUi,
    WORKFLOW_BUNDLE: await bundleWorkflows(dataDir),
  });
}

/** Chromium, where pages are tested; without one those tests fail. */
async function chromiumPath(env: NodeJS.ProcessEnv): Promise<string> {
  if (!avaArgs.some((one) => one.includes('test/e2e/'))) return '';
  return await findChromium(env, log).catch((error: Error) => {
    log(error.message);
    return '';
  });
}

const interrupted = 130;
const work = () =>
  runTests().catch((error: unknown) => {
    log(error instanceof Error ? error.message : String(error));
    return { passed: 0, failed: 1 };
  });
const { passed, failed } = await orderly(untilStopped(), work, interrupted);
await stopAllGuarded();
log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
