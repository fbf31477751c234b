import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';

const ava = fileURLToPath(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url));

export interface TestCounts {
  passed: number;
  failed: number;
}

/**
 * Runs ava and shows its report.
 * @param args ava's arguments: files, `--match=…`
 * @param cwd the folder with its configuration, by default this process's
 */
export async function runAva(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd?: string,
  show = (line: string): void => void process.stdout.write(`${line}\n`),
): Promise<TestCounts> {
  const run = spawn(process.execPath, [ava, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
    ...(cwd !== undefined && { cwd }),
  });
  const exited = once(run, 'close');
  const abandon = (): void => void run.kill('SIGKILL');
  process.once('exit', abandon);
  let [passed, failed] = [0, 0];
  for await (const line of createInterface({ input: run.stdout as Readable })) {
    show(line);
    const report = stripVTControlCharacters(line);
    if (/^ {2}[✔√] /.test(report)) passed += 1;
    else if (/^ {2}[✘×✖] \[fail\]: /.test(report)) failed += 1;
  }
  const [code] = await exited;
  process.off('exit', abandon);
  // A file that ended early, a timeout or an error outside of tests fails the run, too.
  return { passed, failed: code === 0 ? failed : Math.max(failed, 1) };
}
