import { registerHooks } from 'node:module';

/**
 * Loaded before ava's command: in the place of the module that forks a process for each test file comes
 * ours, whose processes take one file after the other. To start a process and load the code anew cost a
 * third of a run.
 */
const avas = new URL('../lib/fork.js', import.meta.resolve('ava')).href;
const ours = new URL('process-pool.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === avas ? next(ours, context) : found;
  },
});
