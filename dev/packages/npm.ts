import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Runs npm in the project's folder.
 * @returns its exit code and output, without warnings
 * @throws Error if npm cannot be started
 */
export async function npm(args: string[], env = process.env): Promise<[number, string]> {
  const called = process.env.npm_execpath ?? '';
  const [command, ...before] = /npm-cli\.c?js$/.test(called) ? [process.execPath, called] : ['npm'];
  const child = spawn(command as string, [...before, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [printed, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
  return [code ?? 1, printed];
}
