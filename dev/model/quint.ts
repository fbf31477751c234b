import { spawn } from 'node:child_process';
import { cp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { installOnce } from '../tools/install-once.ts';
import type { IrModule } from './compile.ts';

const folder = fileURLToPath(new URL('.', import.meta.url));
const installed = fileURLToPath(new URL('../../node_modules/.cache/quint', import.meta.url));
const cli = join(installed, 'node_modules', '@informalsystems', 'quint', 'dist', 'src', 'cli.js');

export const modelFile = join(folder, 'reward.qnt');

/**
 * Runs a command of Quint, which is installed from its own lockfile on first use, so that `npm start` does
 * not download its forty megabytes. Only its TypeScript backend runs; nothing else is downloaded.
 */
export async function quint(...args: string[]): Promise<string> {
  await install();
  return await run(process.execPath, [cli, ...args], folder);
}

export async function parseModel(): Promise<IrModule> {
  const out = join(installed, `reward-${process.pid}.json`);
  await quint('parse', modelFile, '--out', out);
  const { modules } = JSON.parse(await readFile(out, 'utf8')) as { modules: IrModule[] };
  const [module] = modules;
  if (module === undefined) throw new Error(`${modelFile} contains no module`);
  return module;
}

async function install(): Promise<void> {
  const lockfile = await readFile(join(folder, 'quint', 'package-lock.json'), 'utf8');
  await installOnce(pathToFileURL(`${installed}/`), lockfile, async () => {
    for (const name of ['package.json', 'package-lock.json']) {
      await cp(join(folder, 'quint', name), join(installed, name));
    }
    const npm = process.env.npm_execpath ?? '';
    const quiet = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    if (/npm-cli\.c?js$/.test(npm)) await run(process.execPath, [npm, ...quiet], installed);
    else await run('npm', quiet, installed);
  });
}

async function run(command: string, args: string[], cwd: string): Promise<string> {
  // Otherwise npm would use the folder of the calling script.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|NODE_COMPILE_CACHE)/i.test(name)),
  );
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const code = await new Promise((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  if (code === 0) return output.join('');
  throw new Error(`${command} ${args.join(' ')} exited with ${code}:\n${output.join('')}`);
}
