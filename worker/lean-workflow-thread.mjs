/** Preloaded into workflow threads (see workflow-threads.ts). */
import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * With promise hooks, the SDK records a stack trace for every promise of a workflow, so that the
 * Temporal UI can show its call stack. It does without if Node has no such hooks. The current
 * details of a workflow and its `state` query show what it waits for.
 */
v8.promiseHooks.createHook = () => {
  throw new Error('workflow threads do not support promise hooks');
};

/** The SDK's warning that there are none. */
const noHooks = 'v8.promiseHooks.createHook is not available';
const { warn } = console;
Object.assign(console, {
  warn(...args) {
    if (!String(args[0]).startsWith(noHooks)) warn(...args);
  },
});

/** The SDK's calls into a workflow's context that only run its own code, which is known to end. */
const ownCalls = new Set(['initRuntime', 'concludeActivation', 'dispose']);
const { runInContext } = vm.Script.prototype;

/**
 * A call with a timeout starts a watchdog thread and waits for its end. The timeout stays for calls
 * in which a workflow's code might not yield.
 */
vm.Script.prototype.runInContext = function (context, options) {
  const isOwnCall = ownCalls.has(context.__temporal_args?.[1]);
  return runInContext.call(this, context, isOwnCall ? { ...options, timeout: undefined } : options);
};
