import { appendFileSync } from 'node:fs';
import { createRequire, flushCompileCache } from 'node:module';
import { relative } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** What ava says of a file as it runs. */
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
  /** With the end of a file: whether the process may take another. */
  isReusable?: boolean;
}

/** What this uses of ava's own `lib/runner.js`. */
interface Runner {
  chain: object;
  nextTaskIndex: number;
  on(event: string, listener: (data: never) => void): void;
  saveSnapshotState(): Promise<unknown>;
}

/** A process that has grown so large makes room for another. */
const enoughBytes = 1024 ** 3;
/** What goes on by itself. A file that leaves any of it takes its process along, so that none meets another's. */
const lasting = ['Timeout', 'TCPServerWrap', 'ProcessWrap', 'Worker', 'MessagePort'];
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
const tell = (change: StateChange): void => send({ change });

/** Of the file that runs. */
let runner: Runner | undefined;
let file = '';

/** What a test file imports: it declares its tests with whatever runner has its turn. */
refs.runnerChain = new Proxy(() => undefined, {
  apply: (_target, _self, args) => Reflect.apply(chain() as () => unknown, undefined, args),
  get: (_target, name) => Reflect.get(chain(), name),
});
function chain(): object {
  if (runner === undefined) throw new Error('No test file runs.');
  return runner.chain;
}

/** A run that is ended from outside takes its files with it: they would go on against servers that are gone. */
process.once('disconnect', () => leave(1));

const leave = process.exit.bind(process);
process.exit = (code) => {
  tell({
    type: 'uncaught-exception',
    err: serializeError(new Error('A test ended the process'), { testFile: file }),
  });
  return leave(code);
};

process.on('uncaughtException', (error) => fail('uncaught-exception', error));
const unhandled = new Map<Promise<unknown>, unknown>();
process.on('unhandledRejection', (reason, promise) => unhandled.set(promise, reason));
process.on('rejectionHandled', (promise) => unhandled.delete(promise));

/** What no test caught: the process does not go on with it. */
function fail(type: string, error: unknown): void {
  tell({ type, err: serializeError(error, { testFile: file }) });
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
  running.on('stateChange', tell);
  running.on('error', (error) => fail('internal-error', error));
  await import(pathToFileURL(file).href);
  if (running.nextTaskIndex === 0) {
    tell({ type: 'missing-ava-import' });
    leave(1);
  }
  // What keeps the process alive from here on is the tests: ava sees by it that one waits for nothing.
  process.channel?.unref();
  await finished;
  process.channel?.ref();
  await running.saveSnapshotState();
  await nextTurn();
  for (const reason of unhandled.values()) fail('unhandled-rejection', reason);
  noteEnd(performance.now() - startedAt, process.cpuUsage(cpuBefore));
  // What was compiled for this file is ready for the next process.
  flushCompileCache();
  const left = process.getActiveResourcesInfo().filter((resource) => lasting.includes(resource));
  send({ isReusable: left.length === 0 && process.memoryUsage.rss() < enoughBytes });
}

/** Says when a file has ended, which ava's reports do not. */
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
