import { createRequire, registerHooks } from 'node:module';

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

/** ava's TAP report names the place of a failure; if the call stack has none, YAML refuses it, and the run would end. */
const yaml = createRequire(import.meta.resolve('supertap'))('js-yaml');
const { safeDump } = yaml;
yaml.safeDump = (value: unknown, options: object) =>
  safeDump(value, { ...options, skipInvalid: true });
