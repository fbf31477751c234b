/** Packages that would run a program when they are installed, and why ours does without it. */
export const needless: Record<string, string> = {
  '@swc/core':
    'looks whether its binary for this platform loads, and fetches another in its place, which no lockfile names',
  'core-js': 'asks for donations',
  esbuild: 'replaces a small script by the binary itself, which saves some milliseconds',
  protobufjs: 'warns of version ranges',
};

/** Of the tools that check the clients, those that are not there without their program. */
export const needed: Record<string, string> = {
  bun: 'puts the binary of this platform, which is in the lockfile, where it is called',
  node: 'fetches the binary of this platform; another version of Node than ours, for tests of the client alone',
};
