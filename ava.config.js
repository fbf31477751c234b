export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  workerThreads: false,
  // Nothing is heard of for so long only where something hangs, however busy the machine is.
  timeout: '10m',
  concurrency: 3,
  require: ['./test/helpers/in-each-process.ts'],
};
