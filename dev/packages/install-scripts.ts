/** Packages with install scripts, and why ours does without them. */
export const needless: Record<string, string> = {
  '@swc/core':
    'checks whether its binary for this platform loads, and otherwise downloads another one that no lockfile names',
  'core-js': 'asks for donations',
  esbuild: 'replaces a small script by the binary itself, which saves some milliseconds',
  protobufjs: 'warns of version ranges',
};

/** Of the client-checking tools, those that do not work without their install scripts. */
export const needed: Record<string, string> = {
  bun: 'puts the binary for this platform, which is in the lockfile, in its place',
  node: 'downloads the binary for this platform; another version of Node than ours, only for tests of the client',
};
