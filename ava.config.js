export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  workerThreads: false,
  // Nothing is heard of for so long only where something hangs, however busy the machine is.
  timeout: '10m',
  concurrency: 4,
  // What a test makes lives for milliseconds: with room for it, a tenth of the processor time is saved.
  nodeArguments: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
  require: ['./test/helpers/in-each-process.ts'],
};
