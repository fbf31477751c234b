import { registerHooks } from 'node:module';

/**
 * Loaded before ava: replaces its module that forks a process for each test file with ours, whose
 * processes run one file after another. Starting processes and loading the code took a third of a run.
 */
const avas = new URL('../lib/fork.js', import.meta.resolve('ava')).href;
const ours = new URL('process-pool.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === avas ? next(ours, context) : found;
  },
});
