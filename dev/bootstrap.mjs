/**
 * `node dev/bootstrap.mjs <script.ts> [arguments]`: what every npm script goes through.
 *
 * It runs on the Node that happens to be on the PATH (20 or newer) and needs nothing installed: it
 * installs the dependencies when they are missing or older than the lockfile, then runs the script
 * with the project's own Node, which reads TypeScript as it is.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Whether `npm ci` must run: nothing is installed, or what is installed is older than the lockfile.
 * @param {string} folder the folder that holds package-lock.json
 */
export function needsInstall(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return true;
  return statSync(installed).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs;
}

/** The project's own Node, which is a package of its own for each platform; elsewhere the running one, if it is new enough. */
function projectNode() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return own;
  if (Number(process.versions.node.split('.')[0]) >= 24) return process.execPath;
  return undefined;
}

/** The npm that called us, else the one on the PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'];
}

async function install() {
  process.stdout.write(
    'Installing dependencies (npm ci). The first time this takes a minute or two.\n',
  );
  const startedMs = Date.now();
  // npm draws its own progress on a terminal; elsewhere a line now and then shows that it is alive.
  const alive = setInterval(() => {
    if (process.stdout.isTTY) return;
    process.stdout.write(`  still installing, ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
  }, 10_000);
  // Errors only: a Node older than 24 would otherwise be warned about, although only npm runs on it.
  const quiet = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command = 'npm', ...before] = npmCommand();
  const code = await run(command, [...before, ...quiet], process.env, 'inherit');
  clearInterval(alive);
  if (code !== 0) {
    process.stderr.write('npm ci did not succeed; its message is above.\n');
    process.exit(code);
  }
  process.stdout.write('Dependencies are installed.\n');
}

/**
 * Runs a command in the project's folder and passes signals on. A terminal sends Ctrl-C to the child
 * as well; every script here takes the same signal twice without harm.
 * @returns {Promise<number>} its exit code, or 128 + the signal that ended it
 */
function run(command, args, env, stdio) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio });
    const forward = (signal) => child.kill(signal);
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
    for (const signal of signals) process.on(signal, forward);
    child.on('error', (error) => {
      process.stderr.write(`${command} could not be started: ${error.message}\n`);
      resolve(127);
    });
    child.on('exit', (code, signal) => {
      for (const name of signals) process.off(name, forward);
      resolve(code ?? 128 + (signal ? constants.signals[signal] : 0));
    });
  });
}

async function main() {
  const [script, ...args] = process.argv.slice(2);
  if (!script) {
    process.stderr.write('usage: node dev/bootstrap.mjs <script.ts> [arguments]\n');
    process.exit(2);
  }
  process.chdir(root);
  if (needsInstall(root)) await install();
  const node = projectNode();
  if (!node) {
    process.stderr.write(
      'There is no Node 24 among the packages for this platform: use Node 24 itself.\n',
    );
    process.exit(1);
  }
  // Without this, glibc keeps an arena a thread, and a worker's many threads hold memory that none uses.
  const memory = { MALLOC_ARENA_MAX: '2' };
  // What was compiled once is kept beside the dependencies: every process of ours starts in half the time.
  const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') };
  const env = { ...memory, ...compiled, ...process.env };
  // The IPC channel tells the script when this process is gone, even by kill -9.
  process.exit(await run(node, [script, ...args], env, [0, 1, 2, 'ipc']));
}

const called = process.argv[1] && realpathSync(process.argv[1]);
if (called === fileURLToPath(import.meta.url)) await main();
