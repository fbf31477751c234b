import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FileOptions, FromTestProcess, StateChange } from './test-process.ts';

const hook = new URL('share-processes.ts', import.meta.url).href;
const script = fileURLToPath(new URL('test-process.ts', import.meta.url));

/** A test file that runs, in the shape in which ava's own `fork.js` gives it. */
interface RunningFile {
  file: string;
  threadId: undefined;
  promise: Promise<void>;
  exit(): void;
  notifyOfPeerFailure(): void;
  onConnectSharedWorker(): () => void;
  onStateChange(listener: (change: StateChange) => void): () => void;
}

/** Files that need a process of their own, since they set up what a process has once: its Temporal runtime. */
const alone = ['worker/metrics.test.ts'];

/** Those that wait for a file. */
const idle: ChildProcess[] = [];

/** Runs a test file in a process that has nothing to do, or in a new one. */
export default function runFile(
  file: string,
  options: FileOptions,
  execArgv: string[] = [],
): RunningFile {
  const isAlone = alone.some((one) => file.endsWith(`/test/${one}`));
  const child = (isAlone ? undefined : idle.pop()) ?? startProcess(options, execArgv);
  const listeners = new Set<(change: StateChange) => void>();
  const tell = (change: StateChange): void => {
    for (const listener of listeners) listener({ ...change, testFile: file });
  };
  let isForced = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onOutput = (chunk: Buffer) => tell({ type: 'worker-stdout', chunk });
  const onErrorOutput = (chunk: Buffer) => tell({ type: 'worker-stderr', chunk });
  const onMessage = ({ change, isReusable }: FromTestProcess): void => {
    if (change) {
      tell(change);
      return;
    }
    end({ type: 'worker-finished', forcedExit: false });
    if (isReusable && !isAlone) keep(child);
    else child.kill();
  };
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (isForced) end({ type: 'worker-finished', forcedExit: true });
    // It has failed by whatever code it ended: its file was not at its end.
    else end({ type: 'worker-failed', ...(signal ? { signal } : { nonZeroExitCode: code || 1 }) });
  };
  function end(change: StateChange): void {
    tell(change);
    child.off('message', onMessage).off('exit', onExit);
    child.stdout?.off('data', onOutput);
    child.stderr?.off('data', onErrorOutput);
    resolve();
  }
  child.on('message', onMessage).on('exit', onExit);
  child.stdout?.on('data', onOutput);
  child.stderr?.on('data', onErrorOutput);
  setReferenced(child, true);
  child.send({ ...options, file });
  return {
    ...{ file, threadId: undefined, promise },
    exit() {
      isForced = true;
      child.kill('SIGKILL');
    },
    // Ours do not stop at the first failure.
    notifyOfPeerFailure: () => undefined,
    onConnectSharedWorker: () => () => undefined,
    onStateChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

function startProcess({ projectDir }: FileOptions, execArgv: string[]): ChildProcess {
  const child = fork(script, [], {
    cwd: projectDir,
    silent: true,
    env: { NODE_ENV: 'test', ...process.env },
    execArgv: withoutHook(execArgv),
    serialization: 'advanced',
  });
  child.once('exit', () => {
    const place = idle.indexOf(child);
    if (place >= 0) idle.splice(place, 1);
  });
  return child;
}

/** Without the hook that ava's command runs with, which would slow down every import. */
const withoutHook = (execArgv: readonly string[]): string[] =>
  execArgv.filter((one, nth) => one !== hook && execArgv[nth + 1] !== hook);

function keep(child: ChildProcess): void {
  idle.push(child);
  setReferenced(child, false);
}

/** Whether ava's command waits for it before it ends. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const change = isReferenced ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  for (const stream of [child.stdout, child.stderr]) {
    (stream as unknown as { ref(): void; unref(): void })[change]();
  }
}
