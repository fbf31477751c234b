import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const modules = new URL('../../node_modules/', import.meta.url);

/**
 * Runs a tool from `node_modules/` and shows its output.
 * @param script the tool's file below `node_modules/`
 * @returns whether it succeeded
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
