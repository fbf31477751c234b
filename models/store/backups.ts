import type { Models } from '../schemas/index.ts';
import { raiseWatermark, readWatermark } from './watermarks.ts';

/** Its time among the watermarks. */
const name = 'backup';

/** Remembers that a backup ended. @param at when its copy of this database did */
export const noteBackup = (models: Models, at: Date): Promise<void> =>
  raiseWatermark(models, name, at);

/** When the newest backup that was noted ended; null if none was. */
export const lastBackup = (models: Models): Promise<Date | null> => readWatermark(models, name);
