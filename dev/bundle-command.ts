import { cachedBundle } from './cached-bundle.ts';

/** Bundles the partners' command. @returns the file, for `COMMAND_BUNDLE` */
export const cachedCommandBundle = (): Promise<string> =>
  cachedBundle('command', ['clients/typescript', 'domain'], async () =>
    (await import('../portal/documents/bundle-command.ts')).bundleCommand(),
  );
