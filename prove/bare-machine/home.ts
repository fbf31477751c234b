import { join } from 'node:path';
import { userCacheDir } from '../../dev/servers/programs.ts';

/** Images, and the files of an engine or a cluster. */
export const home = join(userCacheDir(process.env), 'bare-machine');
