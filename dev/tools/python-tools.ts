import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { installOnce } from './install-once.ts';

const run = promisify(execFile);
const wanted = new URL('clients/requirements.txt', import.meta.url);
const installed = new URL('../../.data/tools/python/', import.meta.url);

/**
 * The tools that build and check the Python client, in a virtual environment.
 * @returns the folder of its programs
 */
export async function installPythonTools(): Promise<string> {
  const requirements = await readFile(wanted, 'utf8');
  const bin = new URL('bin/', installed);
  await installOnce(installed, requirements, async () => {
    await run('python3', ['-m', 'venv', '--clear', fileURLToPath(installed)]);
    const file = fileURLToPath(wanted);
    await run(fileURLToPath(new URL('pip', bin)), ['install', '--quiet', '--requirement', file]);
  });
  return fileURLToPath(bin);
}
