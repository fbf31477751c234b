import { writeFile } from 'node:fs/promises';
import { bundleCommand } from '../../portal/documents/bundle-command.ts';

/** `bundle-command.ts <file>`: bundles the partners' command ahead of time, so that the portal does not have to. */
const [file = 'partner-events.mjs'] = process.argv.slice(2);
await writeFile(file, await bundleCommand());
