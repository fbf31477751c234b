import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { findChromium } from './browser.ts';
import { bundleWorkflows } from './bundle-workflows.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { runUntilShutdown, shutdownRequested } from './shutdown.ts';
import { runAva } from './test/run-ava.ts';
import { runCheck } from './test/run-check.ts';
import { startOnDemand, startSharedService } from './test/start-service.ts';
import type { TestCounts } from './test/tap.ts';
import { throwawayFolder } from './test/throwaway-folder.ts';
import { startThrowawayServers, testServerSettings } from './throwaway-servers.ts';

/**
 * `npm test`: lint, types, then the tests against their own servers and service, on free ports and with their
 * own data. Each file gets a line, and failures are shown in full; `--verbose` shows every test, as does
 * naming files. With arguments (files, `--match=…`) it only runs those tests. A run without arguments leaves
 * out the slow tests, which `npm run test:slow` runs (`--slow`), and those of the real processes and of pages
 * in a browser, which `npm run test:e2e` runs. The last line counts passed and failed tests.
 */
const [verbose, slow] = ['--verbose', '--slow'];
const args = process.argv.slice(2);
/** Faults, competitors and repeats at every write, random walks, and attacks on every page and operation. */
const slowTests = [
  'test/activities/{races,repeated}.test.ts',
  'test/activities/money/{properties,races}.test.ts',
  'test/dev/prove-attack.test.ts',
  'test/operations/malicious-operator.test.ts',
  'test/portal/{hostile-text,tenant-isolation}.test.ts',
  'test/workflows/races.test.ts',
];
const named = args.filter((one) => one !== verbose && one !== slow);
const namesFiles = named.length > 0 && !named.some((one) => one.includes('*'));
const isVerbose = namesFiles || args.includes(verbose);
const avaArgs = args.includes(slow) ? [...slowTests, ...named] : named;
const isWhole = avaArgs.length === 0;
const usualTests = ['test/**/*.test.ts', ...['test/e2e/**', ...slowTests].map((one) => `!${one}`)];

// Temporal and the type check are Go programs: on a short run they may use more memory and collect less often.
process.env.GOGC ??= '400';

async function runTests(): Promise<TestCounts> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'partner-events-test-'));
  // Removed when this process exits, since the servers use it until then.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  const [faults, env] = await Promise.all([isWhole ? check() : 0, prepare(dataDir)]);
  if (faults > 0) return { passed: 0, failed: faults };
  return await runAva({ args: isWhole ? usualTests : avaArgs, env, dataDir, isVerbose });
}

/** @returns how many checks found something wrong */
async function check(): Promise<number> {
  const passed = await Promise.all([
    runCheck('lint', '@biomejs/biome/bin/biome', ['check', '.'], log),
    runCheck('types', 'typescript/bin/tsc', ['--noEmit', '--checkers', '1'], log),
  ]);
  return passed.filter((isPassed) => !isPassed).length;
}

/**
 * Starts what the tests run against.
 * @returns the environment with its addresses
 */
async function prepare(dataDir: string): Promise<NodeJS.ProcessEnv> {
  const [{ servers, env }, bundle] = await Promise.all([
    startThrowawayServers({ ...testServerSettings, dataDir, log }),
    bundleWorkflows(),
  ]);
  const testEnv = {
    ...env,
    CHROMIUM_PATH: await chromiumPath(env),
    TEMPORAL_UI_URL: servers.temporalUi,
    WORKFLOW_BUNDLE: bundle,
  };
  const service = await startOnDemand(() => startSharedService(dataDir, testEnv));
  return { ...testEnv, TEST_SERVICE: service };
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
const { passed, failed } = await runUntilShutdown(shutdownRequested(), work, interrupted);
await stopAllProcesses();
log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);
