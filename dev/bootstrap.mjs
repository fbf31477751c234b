/**
 * `node dev/bootstrap.mjs <script.ts> [arguments]`: every npm script runs through this.
 *
 * It runs on any Node on the PATH (20 or newer) without installed packages: it installs the dependencies if
 * they are missing or older than the lockfile, then runs the script with the project's own Node, which runs
 * TypeScript directly.
 */
import { spawn } from 'node:child_process';
import { existsSync, realpathSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/**
 * Whether `npm ci` has to run: nothing is installed, or the installation is older than the lockfile.
 * @param {string} folder contains package-lock.json
 */
export function needsInstall(folder) {
  const installed = join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(installed)) return true;
  return statSync(installed).mtimeMs < statSync(join(folder, 'package-lock.json')).mtimeMs;
}

/**
 * The project's own Node, from a package for the platform; without one the running Node, if it is new enough.
 */
function projectNode() {
  const own = join(root, 'node_modules', '.bin', 'node');
  if (existsSync(own)) return own;
  return runsService(process.versions.node) ? process.execPath : undefined;
}

/**
 * Whether a version of Node runs the service, as `engines` in package.json says: Argon2 came with 24.7, and some
 * packages leave out 25.
 * @param {string} version such as 24.7.0
 */
export function runsService(version) {
  const [major, minor] = version.split('.').map(Number);
  return major >= 26 || (major === 24 && minor >= 7);
}

/** The npm that called this script, or the one on the PATH. */
function npmCommand() {
  const npm = process.env.npm_execpath ?? '';
  return /npm-cli\.c?js$/.test(npm) ? [process.execPath, npm] : ['npm'];
}

async function install() {
  process.stdout.write(
    'Installing dependencies (npm ci). The first time this takes a minute or two.\n',
  );
  const startedMs = Date.now();
  // npm shows its progress on a terminal; elsewhere a regular line shows that it is still running.
  const alive = setInterval(() => {
    if (process.stdout.isTTY) return;
    process.stdout.write(`  still installing, ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
  }, 10_000);
  // Errors only: a Node older than 24 would cause warnings, although only npm runs on it.
  const quiet = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  const [command = 'npm', ...before] = npmCommand();
  const code = await run(command, [...before, ...quiet], process.env, 'inherit');
  clearInterval(alive);
  if (code !== 0) {
    process.stderr.write('npm ci failed; see its message above.\n');
    process.exit(code);
  }
  process.stdout.write('Dependencies are installed.\n');
}

/**
 * Runs a command in the project's folder and forwards signals. On a terminal the child receives Ctrl-C as
 * well, which is harmless: every script here tolerates a repeated signal.
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
      'The packages contain no Node for this platform: use Node 24.7 or newer itself.\n',
    );
    process.exit(1);
  }
  // Otherwise glibc keeps an arena for each of a worker's many threads, with memory that nobody uses.
  const memory = { MALLOC_ARENA_MAX: '2' };
  // Caches compiled code beside the dependencies, which halves the start-up time of every process.
  const compiled = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'compiled') };
  const env = { ...memory, ...compiled, ...process.env };
  // Through the IPC channel the script notices the end of this process, even by kill -9.
  process.exit(await run(node, [script, ...args], env, [0, 1, 2, 'ipc']));
}

const called = process.argv[1] && realpathSync(process.argv[1]);
if (called === fileURLToPath(import.meta.url)) await main();
