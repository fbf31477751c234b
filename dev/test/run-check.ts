import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const modules = new URL('../../node_modules/', import.meta.url);

/**
 * Runs a tool that this project depends on, with its output shown.
 * @param script its file under `node_modules/`
 * @returns whether it found nothing wrong
 */
export async function runCheck(
  name: string,
  script: string,
  args: string[],
  log: (line: string) => void,
): Promise<boolean> {
  const tool = spawn(process.execPath, [fileURLToPath(new URL(script, modules)), ...args], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [code] = await once(tool, 'exit');
  log(code === 0 ? `✔ ${name}` : `✘ ${name}`);
  return code === 0;
}
