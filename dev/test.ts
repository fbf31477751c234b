import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { installChromium } from './browser.ts';
import { log } from './log.ts';
import { stopAllProcesses } from './managed-process.ts';
import { runUntilShutdown, shutdownRequested } from './shutdown.ts';
import { runAva, type TestCounts } from './test/run-ava.ts';
import { runCheck } from './test/run-check.ts';
import { startTestServers } from './test/servers.ts';
import { throwawayFolder } from './test/throwaway-folder.ts';

/**
 * `npm test`: lint, types, then the tests in ava against their own servers and service, on free ports and with
 * their own data. Arguments are ava's (files, `--match=…`); with them it only runs those tests. A run without
 * arguments leaves out the slow tests, which `npm run test:slow` runs (`--slow`), and those of the real processes
 * and of pages in a browser, which `npm run test:e2e` runs; for these, `--install-chromium` installs a browser
 * where none is found. The last line counts passed and failed tests.
 */
const [slow, withChromium] = ['--slow', '--install-chromium'];
const args = process.argv.slice(2);
/** Faults, competitors and repeats at every write, random walks, and attacks on every page and operation. */
const slowTests = [
  'test/http/fuzz.test.ts',
  'test/activities/{races,repeated}.test.ts',
  'test/activities/money/{properties,races}.test.ts',
  'test/prove/attack.test.ts',
  'test/operations/malicious-operator.test.ts',
  'test/portal/{hostile-text,tenant-isolation}.test.ts',
  'test/workflows/races.test.ts',
];
const named = args.filter((one) => one !== slow && one !== withChromium);
const avaArgs = args.includes(slow) ? [...slowTests, ...named] : named;
const isWhole = avaArgs.length === 0;
const usualTests = ['test/**/*.test.ts', ...['test/e2e/**', ...slowTests].map((one) => `!${one}`)];

// Temporal and the type check are Go programs: on a short run they may use more memory and collect less often.
process.env.GOGC ??= '400';

async function runTests(): Promise<TestCounts> {
  const dataDir = await mkdtemp(join(throwawayFolder(), 'partner-events-test-'));
  // Removed when this process exits, since the servers use it until then.
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  if (args.includes(withChromium)) await installChromium(process.env, log);
  const [faults, { env }] = await Promise.all([isWhole ? check() : 0, startTestServers(dataDir)]);
  if (faults > 0) return { passed: 0, failed: faults };
  return await runAva(isWhole ? usualTests : avaArgs, env);
}

/** @returns how many checks found something wrong */
async function check(): Promise<number> {
  const passed = await Promise.all([
    runCheck('lint', '@biomejs/biome/bin/biome', ['check', '.'], log),
    runCheck('types', 'typescript/bin/tsc', ['--noEmit', '--checkers', '1'], log),
  ]);
  return passed.filter((isPassed) => !isPassed).length;
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
