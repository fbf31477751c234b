import c from './ava.config.js';
export default {
  ...c,
  nodeArguments: [
    ...c.nodeArguments,
    '--cpu-prof',
    '--cpu-prof-interval',
    '2000',
    '--cpu-prof-dir=/tmp/w3/prof-all',
  ],
};
