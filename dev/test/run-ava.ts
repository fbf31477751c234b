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
const everyMs = 500;

interface AvaWish {
  /** ava's own: files, `--match=…`. */
  args: string[];
  env: NodeJS.ProcessEnv;
  /** Where this run may leave a file. */
  dataDir: string;
  /** Whether every test is shown; else a line for each file, and what failed. */
  isVerbose: boolean;
}

/** Runs ava and shows how it goes. */
export async function runAva({ args, env, dataDir, isVerbose }: AvaWish): Promise<TestCounts> {
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
  const stopTelling = isVerbose ? () => undefined : tellFiles(new FinishedFiles(progress), reader);
  for await (const line of createInterface({ input: run.stdout as Readable })) {
    const shown = reader.read(line);
    if (shown !== undefined) process.stdout.write(`${shown}\n`);
  }
  const [code] = await exited;
  process.off('exit', abandon);
  stopTelling();
  const counts = reader.counts(code ?? 1);
  if (counts.failed > 0) process.stderr.write(written);
  return counts;
}

/** A line for each file that has ended, once ava had the time to report what it found. */
function tellFiles(files: FinishedFiles, reader: TapReader): () => void {
  let count = 0;
  let ended = files.next();
  const tell = (): void => {
    for (const { name, seconds, cpuSeconds } of ended) {
      count += 1;
      const isFailed = reader.failures.some((title) => isOf(name, title));
      process.stdout.write(
        `${isFailed ? '✘' : '✔'} ${count} ${name} (${seconds} s, CPU ${cpuSeconds} s)\n`,
      );
    }
    ended = files.next();
  };
  const timer = setInterval(tell, everyMs);
  return () => {
    clearInterval(timer);
    tell();
    tell();
  };
}

/** ava names a test by its file, from the folder that all of the run's files are in. */
function isOf(name: string, title: string): boolean {
  const [head = ''] = title.split(' › ').slice(0, 1);
  const parts = name.split('/');
  const from = Math.max(parts.indexOf(head), 0);
  return title.startsWith(`${parts.slice(from).join(' › ')} › `);
}
