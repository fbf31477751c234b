/** Preloaded into the threads that run workflows (see workflow-threads.ts). */
import v8 from 'node:v8';

v8.promiseHooks.createHook = () => {
  throw new Error('workflow threads take no promise hooks');
};
