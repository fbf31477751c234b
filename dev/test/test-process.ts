import { appendFileSync } from 'node:fs';
import { createRequire, flushCompileCache } from 'node:module';
import { relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** ava's reports on a running file. */
export type StateChange = { type: string } & Record<string, unknown>;

/** ava's options for a file. */
export interface FileOptions {
  file: string;
  projectDir: string;
  match: string[];
  lineNumbers: number[];
  chalkOptions: object;
  failFast: boolean;
}

export interface FromTestProcess {
  change?: StateChange;
  /** At the end of a file: whether the process can run another. */
  isReusable?: boolean;
}

/** The parts of ava's `lib/runner.js` that this uses. */
interface Runner {
  chain: object;
  nextTaskIndex: number;
  on(event: string, listener: (data: never) => void): void;
  saveSnapshotState(): Promise<unknown>;
}

/** A process that uses more memory is replaced. */
const maxProcessBytes = 1024 ** 3;
/** Resources that outlive a file. If a file leaves any behind, its process is not reused. */
const lasting = ['Timeout', 'TCPServerWrap', 'ProcessWrap', 'Worker', 'MessagePort'];
/** How many turns of the event loop a closed resource may take until it is gone. */
const maxTurns = 10;
const tests = fileURLToPath(new URL('../../test', import.meta.url));
const avas = (path: string): string => new URL(`../lib/${path}`, import.meta.resolve('ava')).href;
const require = createRequire(import.meta.url);
const { default: AvaRunner } = await import(avas('runner.js'));
const { default: serializeError } = await import(avas('serialize-error.js'));
const { set: setChalk } = await import(avas('chalk.js'));
const { default: lineNumberSelection } = await import(avas('worker/line-numbers.js'));
const { refs } = require(fileURLToPath(avas('worker/state.cjs')));
const { controlFlow } = require(fileURLToPath(avas('ipc-flow-control.cjs')));
const send: (message: FromTestProcess) => void = controlFlow(process);
const report = (change: StateChange): void => send({ change });

/** Of the running file. */
let runner: Runner | undefined;
let file = '';

/** What test files import from ava; it passes their tests to the current runner. */
refs.runnerChain = new Proxy(() => undefined, {
  apply: (_target, _self, args) => Reflect.apply(chain() as () => unknown, undefined, args),
  get: (_target, name) => Reflect.get(chain(), name),
});
function chain(): object {
  if (runner === undefined) throw new Error('No test file runs.');
  return runner.chain;
}

/** Ends with ava's process. Otherwise its file would continue without the servers of the run. */
process.once('disconnect', () => leave(1));

const leave = process.exit.bind(process);
process.exit = (code) => {
  report({
    type: 'uncaught-exception',
    err: serializeError(new Error('A test ended the process'), { testFile: file }),
  });
  return leave(code);
};

process.on('uncaughtException', (error) => fail('uncaught-exception', error));
const unhandled = new Map<Promise<unknown>, unknown>();
process.on('unhandledRejection', (reason, promise) => unhandled.set(promise, reason));
process.on('rejectionHandled', (promise) => unhandled.delete(promise));

/** Reports an error that no test caught, and ends the process. */
function fail(type: string, error: unknown): void {
  report({ type, err: serializeError(error, { testFile: file }) });
  leave(1);
}

let isFirst = true;
process.on('message', (options: FileOptions) => {
  if (isFirst) setChalk(options.chalkOptions);
  isFirst = false;
  run(options).catch((error) => fail('uncaught-exception', error));
});

async function run(options: FileOptions): Promise<void> {
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  file = options.file;
  const running: Runner = new AvaRunner({
    ...options,
    checkSelectedByLineNumbers: lineNumberSelection(options),
  });
  runner = running;
  const finished = new Promise<void>((resolve) => running.on('finish', resolve));
  running.on('stateChange', report);
  running.on('error', (error) => fail('internal-error', error));
  await import(pathToFileURL(file).href);
  if (running.nextTaskIndex === 0) {
    report({ type: 'missing-ava-import' });
    leave(1);
  }
  // From here on, only tests keep the process alive, so that ava notices one that waits for nothing.
  process.channel?.unref();
  await finished;
  process.channel?.ref();
  await running.saveSnapshotState();
  await nextTurn();
  for (const reason of unhandled.values()) fail('unhandled-rejection', reason);
  noteEnd(performance.now() - startedAt, process.cpuUsage(cpuBefore));
  // Saves the compiled code for the next process.
  flushCompileCache();
  const isReusable = (await isNothingLeft()) && process.memoryUsage.rss() < maxProcessBytes;
  send({ isReusable });
}

/** Whether a file left no resource behind. A server that it closed is gone a few turns of the event loop later. */
async function isNothingLeft(): Promise<boolean> {
  for (let turn = 0; turn < maxTurns; turn++) {
    if (!process.getActiveResourcesInfo().some((one) => lasting.includes(one))) return true;
    await nextTurn();
  }
  return false;
}

/** Records the end of a file, which ava's reports do not contain. */
function noteEnd(ms: number, { user, system }: NodeJS.CpuUsage): void {
  const { TEST_PROGRESS } = process.env;
  if (!TEST_PROGRESS) return;
  const name = relative(tests, file).replace(/\.test\.ts$/, '');
  const [seconds, cpuSeconds] = [toTenths(ms / 1_000), toTenths((user + system) / 1_000_000)];
  appendFileSync(TEST_PROGRESS, `${JSON.stringify({ name, seconds, cpuSeconds })}\n`);
}

function toTenths(seconds: number): number {
  return Math.round(seconds * 10) / 10;
}
