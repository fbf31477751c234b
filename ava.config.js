import { fileURLToPath } from 'node:url';

/** The files that take longest, so that none of them is left alone at the end. */
const first = [
  'e2e/portal/pages',
  'e2e/mongodb-users',
  'e2e/clients/typescript-package',
  'e2e/portal/new-partner',
  'worker/sweep',
  'portal/routes',
  'activities/money/races',
  'portal/hostile-text',
  'activities/invoices',
  'audit/live-service',
  'workflows/reconciliation',
  'worker/stop',
  'api/unavailable',
  'activities/repeated',
  'activities/races',
  'worker/webhooks-away',
].map((name) => `test/${name}.test.ts`);

const placeOf = (file) => {
  const place = first.findIndex((one) => file.endsWith(one));
  return place === -1 ? first.length : place;
};

export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  workerThreads: false,
  // Nothing is heard of for so long only where something hangs, however busy the machine is.
  timeout: '5m',
  concurrency: 5,
  sortTestFiles: (one, other) => placeOf(one) - placeOf(other) || (one < other ? -1 : 1),
  // As under npm (`dev/bootstrap.mjs`): each file starts a process, which is twice as fast with its code compiled.
  environmentVariables: {
    NODE_COMPILE_CACHE:
      process.env.NODE_COMPILE_CACHE ??
      fileURLToPath(new URL('node_modules/.cache/compiled', import.meta.url)),
  },
  // What a test makes lives for milliseconds: with room for it, a tenth of the processor time is saved.
  nodeArguments: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
};
