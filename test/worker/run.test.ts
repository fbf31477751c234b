import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import test from 'ava';

const sdk = (file: string): Promise<string> =>
  readFile(
    fileURLToPath(
      new URL(`../../node_modules/@temporalio/worker/lib/workflow/${file}`, import.meta.url),
    ),
    'utf8',
  );

/** Runs a script in a thread started like a workflow thread. @returns the message that it posts */
async function inLeanThread(script: string): Promise<unknown> {
  const preload = new URL('../../worker/lean-workflow-thread.mjs', import.meta.url).href;
  const file = new URL(`data:text/javascript,${encodeURIComponent(script)}`);
  const thread = new Worker(file, { execArgv: ['--import', preload] });
  const [posted] = await once(thread, 'message');
  await thread.terminate();
  return posted;
}

test('a lean thread has no promise hooks, and tracks all calls but those of the SDK', async (t) => {
  const posted = await inLeanThread(`
    import { parentPort } from 'node:worker_threads';
    import v8 from 'node:v8';
    import vm from 'node:vm';
    const isRefused = (work) => {
      try {
        work();
        return false;
      } catch {
        return true;
      }
    };
    const busy = new vm.Script('const until = Date.now() + 200; while (Date.now() < until);0');
    const isCutOff = (name) => {
      const context = vm.createContext({ __temporal_args: [{}, name, []], Date });
      return isRefused(() => busy.runInContext(context, { timeout: 1 }));
    };
    parentPort.postMessage({
      hooks: isRefused(() => v8.promiseHooks.createHook({ init() {} })),
      cutOff: ['initRuntime', 'concludeActivation', 'dispose', 'activate', 'other'].filter(isCutOff),
    });
  `);
  t.deepEqual(posted, { hooks: true, cutOff: ['activate', 'other'] });
});

test('the SDK still calls workflows in the way that lean threads rely on', async (t) => {
  const [calls, steps, threads] = await Promise.all(
    ['reusable-vm.js', 'vm-shared.js', 'threaded-vm.js'].map(sdk),
  );
  t.regex(
    calls ?? '',
    /context\.__temporal_args = \[holder, fn, args\];\s+return callIntoVmScript\.runInContext\(context, \{\s+timeout:/,
  );
  t.regex(calls ?? '', /workflowModule\.initRuntime\(/);
  t.regex(calls ?? '', /workflowModule\.dispose\(\)/);
  t.regex(steps ?? '', /workflowModule\.concludeActivation\(\)/);
  t.regex(
    steps ?? '',
    /promiseHooks\.createHook is not available; stack trace collection will be disabled/,
  );
  t.regex(threads ?? '', /new node_worker_threads_1\.Worker\(/);
});
