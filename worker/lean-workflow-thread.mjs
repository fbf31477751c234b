/** Preloaded into the threads that run workflows (see workflow-threads.ts). */
import v8 from 'node:v8';
import vm from 'node:vm';

/**
 * With promise hooks the SDK notes a stack trace for every promise that a workflow makes, for the call
 * stack that the Temporal UI can show. It goes without where Node has no such hooks. What a workflow
 * waits for is told by its current details and its `state` query.
 */
v8.promiseHooks.createHook = () => {
  throw new Error('workflow threads take no promise hooks');
};

/** The SDK's calls into a workflow's context that run the SDK's own code alone, which ends. */
const ownCalls = new Set(['initRuntime', 'concludeActivation', 'dispose']);
const { runInContext } = vm.Script.prototype;

/**
 * A call with a timeout starts a thread that watches it, and waits for its end. That stays for the
 * calls in which a workflow's code might not yield.
 */
vm.Script.prototype.runInContext = function (context, options) {
  const isOwnCall = ownCalls.has(context.__temporal_args?.[1]);
  return runInContext.call(this, context, isOwnCall ? { ...options, timeout: undefined } : options);
};
