import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { compileCache } from '../../helpers/inherited.ts';

const cliPath = fileURLToPath(new URL('../../../clients/typescript/cli.ts', import.meta.url));

/** Runs the partner command as a separate process, without this process's environment. */
export async function runCli(args: string[], env: Record<string, string> = {}, input = '') {
  const child = spawn(process.execPath, [cliPath, ...args], { env: { ...compileCache, ...env } });
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { code: await closed, stdout, stderr };
}
