import type { Models } from '../schemas/index.ts';

/** @returns the time up to which the work is done; null if it never was */
export async function readWatermark({ watermarks }: Models, name: string): Promise<Date | null> {
  return (await watermarks.findById(name))?.at ?? null;
}

/** Stores the time up to which the work is done. It never goes back, whoever writes last. */
export async function raiseWatermark(
  { watermarks }: Models,
  name: string,
  at: Date,
): Promise<void> {
  await watermarks.updateOne({ _id: name }, { $max: { at } }, { upsert: true });
}
