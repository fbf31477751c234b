import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { bundleWorkflows } from '../bundle-workflows.ts';
import { log } from '../log.ts';
import { type SharedService, startSharedService } from '../test/start-service.ts';
import { startThrowawayServers, testServerSettings } from '../throwaway-servers.ts';
import type { Instrumented, Mutant } from './instrument.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import type { Verdict } from './verdict.ts';

const ava = fileURLToPath(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url));
/** Longer than any test file takes without a mutant. */
const mostMs = 3_600_000;

/** A test file, and the mutants that it reaches. */
interface Covering {
  file: string;
  ms: number;
  /** In the test's own process. */
  here: Set<string>;
  /** In the service shared by the files of a run. */
  inService: Set<string>;
}

/**
 * Judges mutants with complete test files against real servers, which are started once; the shared service is
 * restarted with each mutant that it reaches. Workflows are not mutated: only code outside of Temporal's
 * sandbox is.
 * @param isTimeUp called before each mutant
 */
export async function judgeWithServers(
  { folder, mutants }: Instrumented,
  files: readonly string[],
  report: (mutant: Mutant, verdict: Verdict) => void,
  isTimeUp: () => boolean,
): Promise<void> {
  const dataDir = await mkdtemp(join(folder, 'data-'));
  const [{ env }, bundle] = await Promise.all([
    startThrowawayServers({ ...testServerSettings, dataDir, log }),
    bundleWorkflows(),
  ]);
  const from = { ...env, WORKFLOW_BUNDLE: bundle, THOROUGH: 'on' };
  const script = join(folder, 'test/helpers/run-service.ts');
  const touchedDir = join(dataDir, 'touched');
  const recorder = pathToFileURL(join(folder, 'dev/mutations/record-touched.ts')).href;
  const recording = { ...from, TOUCHED_DIR: touchedDir, NODE_OPTIONS: `--import=${recorder}` };
  const recorded = await serve(recording);
  const coverings: Covering[] = [];
  for (const file of files) coverings.push(await cover(file));
  await recorded.stop();
  coverings.sort((a, b) => a.ms - b.ms);

  const plain = await serve(from);
  for (const mutant of mutants) {
    if (isTimeUp()) break;
    report(mutant, await judge(mutant));
  }
  await plain.stop();

  async function serve(serviceEnv: NodeJS.ProcessEnv): Promise<SharedService> {
    const ownDir = await mkdtemp(join(dataDir, 'service-'));
    return await startSharedService(ownDir, serviceEnv, script);
  }

  async function cover(file: string): Promise<Covering> {
    await rm(touchedDir, { recursive: true, force: true });
    await mkdir(touchedDir);
    const startedAt = performance.now();
    const outcome = await runFile(file, { ...recording, TEST_SERVICE: recorded.url }, mostMs);
    if (outcome !== 'passed') throw new Error(`Without a mutant, ${file} ${outcome}.`);
    const ms = performance.now() - startedAt;
    process.kill(recorded.pid, 'SIGUSR2');
    const service = join(touchedDir, `${recorded.pid}.json`);
    while (!(await readFile(service).catch(() => null))) await sleep(50);
    const inService = new Set<string>(JSON.parse(await readFile(service, 'utf8')));
    const here = new Set<string>();
    for (const name of await readdir(touchedDir)) {
      const path = join(touchedDir, name);
      if (path === service || !name.endsWith('.json')) continue;
      for (const id of JSON.parse(await readFile(path, 'utf8'))) here.add(id);
    }
    log(`  ${file} (${Math.round(ms / 1_000)} s) reaches ${here.size} and ${inService.size}`);
    return { file, ms, here, inService };
  }

  async function judge({ id, file: mutated }: Mutant): Promise<Verdict> {
    const isOwn = ({ file }: Covering) =>
      Number(file === `test/${mutated.replace(/ts$/, 'test.ts')}`);
    const covering = coverings
      .filter(({ here, inService }) => here.has(id) || inService.has(id))
      // The file's own tests notice most changes.
      .toSorted((one, other) => isOwn(other) - isOwn(one));
    if (covering.length === 0) return { fate: 'untouched' };
    const withMutant = { ...from, __STRYKER_ACTIVE_MUTANT__: id };
    let service: SharedService | undefined;
    try {
      for (const { file, ms, inService } of covering) {
        if (inService.has(id)) service ??= await serve(withMutant).catch(() => undefined);
        if (inService.has(id) && !service)
          return { fate: 'killed', by: 'the service does not start' };
        const env = { ...withMutant, TEST_SERVICE: (service ?? plain).url };
        const runs = {
          withChange: (limitMs: number) => runFile(file, env, limitMs),
          timeWithout: () => timeWithout(file),
        };
        const outcome = await outcomeOf(runs, ms);
        if (outcome === 'failed') return { fate: 'killed', by: file };
        if (outcome === 'did not end') return { fate: 'killed', by: `${file}: timed out` };
      }
      return { fate: 'survived' };
    } finally {
      await service?.stop();
    }
  }

  async function timeWithout(file: string): Promise<number> {
    const startedAt = performance.now();
    await runFile(file, { ...from, TEST_SERVICE: plain.url }, mostMs);
    return performance.now() - startedAt;
  }

  async function runFile(
    file: string,
    fileEnv: NodeJS.ProcessEnv,
    limitMs: number,
  ): Promise<Outcome> {
    const run = spawn(process.execPath, [ava, '--fail-fast', '--tap', file], {
      cwd: folder,
      detached: true,
      env: fileEnv,
      stdio: 'ignore',
    });
    const abandon = (): void => void killGroup(run.pid);
    process.once('exit', abandon);
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      abandon();
    }, limitMs);
    const [code] = await once(run, 'close');
    clearTimeout(timer);
    process.off('exit', abandon);
    if (isLate) return 'did not end';
    return code === 0 ? 'passed' : 'failed';
  }
}

function killGroup(groupId: number | undefined): void {
  if (groupId === undefined) return;
  try {
    process.kill(-groupId, 'SIGKILL');
  } catch {
    // It has exited already.
  }
}
