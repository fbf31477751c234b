import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { TapReader, type TestCounts } from './tap.ts';

const ava = fileURLToPath(new URL('../../node_modules/ava/entrypoints/cli.mjs', import.meta.url));

/**
 * Runs ava and shows each test as it ends.
 * @param args ava's own: files, `--match=…`
 */
export async function runAva(args: string[], env: NodeJS.ProcessEnv): Promise<TestCounts> {
  const run = spawn(process.execPath, [ava, '--tap', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(run, 'exit');
  const abandon = (): void => void run.kill('SIGKILL');
  process.once('exit', abandon);
  const reader = new TapReader();
  for await (const line of createInterface({ input: run.stdout })) {
    const shown = reader.read(line);
    if (shown !== undefined) process.stdout.write(`${shown}\n`);
  }
  const [code] = await exited;
  process.off('exit', abandon);
  return reader.counts(code ?? 1);
}
