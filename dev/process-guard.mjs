/**
 * `node dev/process-guard.mjs <graceMs> <command> [arguments]`: runs one command and stops it when the parent
 * exits.
 *
 * The parent starts this guard in its own process group, with an IPC channel. Ctrl-C in the terminal
 * therefore reaches only the parent, which stops its children in order. When the parent exits, even by `kill
 * -9`, the channel closes and the guard stops the command.
 */
import { spawn } from 'node:child_process';
import { constants } from 'node:os';

const [graceText = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] });
let killTimer;

function stop() {
  if (killTimer) return;
  child.kill('SIGTERM');
  killTimer = setTimeout(() => child.kill('SIGKILL'), Number(graceText));
}

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, stop);
process.on('disconnect', stop);

child.on('spawn', () => {
  if (process.connected) process.send({ pid: child.pid }, () => {});
  else stop();
});
child.on('error', (error) => {
  process.stderr.write(`${command} could not be started: ${error.message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => {
  process.exit(code ?? 128 + (signal ? constants.signals[signal] : 0));
});
