import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { startProcess } from '../../dev/managed-process.ts';
import { eventually } from '../helpers/eventually.ts';

/** A parent that starts a managed child and prints the child's process id. */
const parentScript = `
  const { startProcess } = await import(${JSON.stringify(new URL('../../dev/managed-process.ts', import.meta.url).href)});
  const args = ['-e', process.argv[1]];
  const child = await startProcess({ command: process.execPath, args, env: process.env, graceMs: 200 });
  process.stdout.write(child.pid + '\\n');
  if (process.argv[2] === 'stop') { await child.stop(); process.exit(0); }
`;
const idle = 'setInterval(() => {}, 1000)';
const stubborn = `process.on('SIGTERM', () => {}); ${idle}`;

function start(childScript: string, ...rest: string[]) {
  const args = ['--input-type=module', '-e', parentScript, childScript, ...rest];
  return spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
}

function hasExited(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch {
    return true;
  }
}

test('a managed child does not outlive a parent killed with -9', async (t) => {
  const parent = start(idle);
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  t.false(hasExited(pid));
  parent.kill('SIGKILL');
  await eventually(async () => hasExited(pid), 'the child has exited');
});

test('a managed child that ignores SIGTERM is killed after its grace period, whether or not the parent lives', async (t) => {
  const parent = start(stubborn);
  const [line] = await once(parent.stdout, 'data');
  parent.kill('SIGKILL');
  await eventually(async () => hasExited(Number(line)), 'the child has exited');
  t.pass();
});

test('stopping a managed child waits until it has exited', async (t) => {
  const parent = start(idle, 'stop');
  const [[line], [code]] = await Promise.all([once(parent.stdout, 'data'), once(parent, 'exit')]);
  t.is(code, 0);
  t.true(hasExited(Number(line)));
});

test('Ctrl-C in the terminal does not reach a managed child: it has its own process group', async (t) => {
  const parent = start('process.on("SIGINT", () => process.exit(9)); setInterval(() => {}, 1000)');
  const [line] = await once(parent.stdout, 'data');
  const pid = Number(line);
  t.throws(() => process.kill(-pid, 0), { code: 'ESRCH' }, 'the guard leads the process group');
  t.false(hasExited(pid));
  parent.kill('SIGKILL');
  await eventually(async () => hasExited(pid), 'the child has exited');
});

test('a stream receives the output of a managed child', async (t) => {
  const output = new PassThrough();
  const args = ['--eval', 'process.stdout.write("hello\\n")'];
  await startProcess({ command: process.execPath, args, env: process.env, graceMs: 200, output });
  t.is(await text(output), 'hello\n');
});
