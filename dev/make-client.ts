import { compileTypescriptClient, packTypescriptClient } from '../portal/documents/pack-clients.ts';

/**
 * `npm run make -- client`: compiles and packs the TypeScript client; arguments are those of `npm pack`. A plain `npm pack` in
 * its folder compiles by this file too: the client is no workspace, whose scripts `.npmrc` would skip.
 */
await compileTypescriptClient();
if (process.env.npm_lifecycle_event !== 'prepack') packTypescriptClient(process.argv.slice(2));
