import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { FileOptions, FromTestProcess, StateChange } from './test-process.ts';

const hook = new URL('share-processes.ts', import.meta.url).href;
const script = fileURLToPath(new URL('test-process.ts', import.meta.url));

/** A running test file, in the format of ava's `fork.js`. */
interface RunningFile {
  file: string;
  threadId: undefined;
  promise: Promise<void>;
  exit(): void;
  notifyOfPeerFailure(): void;
  onConnectSharedWorker(): () => void;
  onStateChange(listener: (change: StateChange) => void): () => void;
}

/** Files that need their own process, because they configure its Temporal runtime or tracing, which a process has once. */
const alone = ['worker/metrics.test.ts', 'activities/webhook-spans.test.ts'];

/** Processes that wait for a test file. */
const idle: ChildProcess[] = [];

/** Runs a test file in an idle process, or in a new one. */
export default function runFile(
  file: string,
  options: FileOptions,
  execArgv: string[] = [],
): RunningFile {
  const isAlone = alone.some((one) => file.endsWith(`/test/${one}`));
  const child = (isAlone ? undefined : idle.pop()) ?? startProcess(options, execArgv);
  const listeners = new Set<(change: StateChange) => void>();
  const report = (change: StateChange): void => {
    for (const listener of listeners) listener({ ...change, testFile: file });
  };
  let isForced = false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const onOutput = (chunk: Buffer) => report({ type: 'worker-stdout', chunk });
  const onErrorOutput = (chunk: Buffer) => report({ type: 'worker-stderr', chunk });
  const onMessage = ({ change, isReusable }: FromTestProcess): void => {
    if (change) {
      report(change);
      return;
    }
    end({ type: 'worker-finished', forcedExit: false });
    if (isReusable && !isAlone) keep(child);
    else child.kill();
  };
  const onExit = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (isForced) end({ type: 'worker-finished', forcedExit: true });
    // It failed whatever its exit code, because its file had not ended.
    else end({ type: 'worker-failed', ...(signal ? { signal } : { nonZeroExitCode: code || 1 }) });
  };
  function end(change: StateChange): void {
    report(change);
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
    file,
    threadId: undefined,
    promise,
    exit() {
      isForced = true;
      child.kill('SIGKILL');
    },
    // Other files continue after a failure.
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

/** Removes the hook of ava's own process, which would slow down every import. */
const withoutHook = (execArgv: readonly string[]): string[] =>
  execArgv.filter((one, nth) => one !== hook && execArgv[nth + 1] !== hook);

function keep(child: ChildProcess): void {
  idle.push(child);
  setReferenced(child, false);
}

/** Sets whether ava's process waits for the child before it exits. */
function setReferenced(child: ChildProcess, isReferenced: boolean): void {
  const change = isReferenced ? 'ref' : 'unref';
  child[change]();
  child.channel?.[change]();
  for (const stream of [child.stdout, child.stderr]) {
    (stream as unknown as { ref(): void; unref(): void })[change]();
  }
}
