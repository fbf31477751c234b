import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { FinishedFiles } from './finished-files.ts';
import { TapReader, type TestCounts } from './tap.ts';

const ava = fileURLToPath(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url));
const shareProcesses = new URL('share-processes.ts', import.meta.url).href;
/** Node's arguments to run ava so that its test files share processes. */
export const avaCommand = ['--import', shareProcesses, ava, '--tap'];
const reportEveryMs = 500;

interface AvaRun {
  /** ava's arguments: files, `--match=…`. */
  args: string[];
  env: NodeJS.ProcessEnv;
  /** A folder for the run's files. */
  dataDir: string;
  /** Whether to show every test, rather than a line per file and the failures. */
  isVerbose: boolean;
}

/** Runs ava and shows its progress. */
export async function runAva({ args, env, dataDir, isVerbose }: AvaRun): Promise<TestCounts> {
  const progress = join(dataDir, 'finished-files');
  const run = spawn(process.execPath, [...avaCommand, ...args], {
    env: { ...env, TEST_PROGRESS: progress },
    stdio: ['ignore', 'pipe', isVerbose ? 'inherit' : 'pipe'],
  });
  let written = '';
  run.stderr?.on('data', (part) => {
    written += part;
  });
  const exited = once(run, 'close');
  const abandon = (): void => void run.kill('SIGKILL');
  process.once('exit', abandon);
  const reader = new TapReader({ isVerbose });
  const stopReporting = isVerbose
    ? () => undefined
    : reportFiles(new FinishedFiles(progress), reader);
  for await (const line of createInterface({ input: run.stdout as Readable })) {
    const shown = reader.read(line);
    if (shown !== undefined) process.stdout.write(`${shown}\n`);
  }
  const [code] = await exited;
  process.off('exit', abandon);
  stopReporting();
  const counts = reader.counts(code ?? 1);
  if (counts.failed > 0) process.stderr.write(written);
  return counts;
}

/** Prints a line for each file that has ended, one interval later, when ava has reported its failures. */
function reportFiles(files: FinishedFiles, reader: TapReader): () => void {
  let count = 0;
  let ended = files.next();
  const report = (): void => {
    for (const { name, seconds, cpuSeconds } of ended) {
      count += 1;
      const isFailed = reader.failures.some((title) => isOf(name, title));
      process.stdout.write(
        `${isFailed ? '✘' : '✔'} ${count} ${name} (${seconds} s, CPU ${cpuSeconds} s)\n`,
      );
    }
    ended = files.next();
  };
  const timer = setInterval(report, reportEveryMs);
  return () => {
    clearInterval(timer);
    report();
    report();
  };
}

/** Whether a title is of a file's test. ava's titles contain the path from the common folder of all files. */
function isOf(name: string, title: string): boolean {
  const [head = ''] = title.split(' › ').slice(0, 1);
  const parts = name.split('/');
  const from = Math.max(parts.indexOf(head), 0);
  return title.startsWith(`${parts.slice(from).join(' › ')} › `);
}
