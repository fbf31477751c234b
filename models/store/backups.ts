import type { Models } from '../schemas/index.ts';

/** Its time among the watermarks. */
const name = 'backup';

/** Remembers that a backup ended. @param at when its copy of this database did */
export async function noteBackup({ watermarks }: Models, at: Date): Promise<void> {
  await watermarks.updateOne({ _id: name }, { $max: { at } }, { upsert: true });
}

/** When the newest backup that was noted ended; null if none was. */
export async function lastBackup({ watermarks }: Models): Promise<Date | null> {
  return (await watermarks.findById(name))?.at ?? null;
}
