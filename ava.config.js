export default {
  files: ['test/**/*.test.ts'],
  extensions: { ts: 'module' },
  workerThreads: false,
  timeout: '2m',
  concurrency: 3,
};
