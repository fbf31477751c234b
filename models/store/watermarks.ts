import type { Models } from '../schemas/index.ts';

/** @returns up to when somebody has looked; null where nobody has yet */
export async function readWatermark({ watermarks }: Models, name: string): Promise<Date | null> {
  return (await watermarks.findById(name).lean())?.at ?? null;
}

/** Notes up to when somebody has looked. It never goes back, whoever of several notes it last. */
export async function raiseWatermark(
  { watermarks }: Models,
  name: string,
  at: Date,
): Promise<void> {
  await watermarks.updateOne({ _id: name }, { $max: { at } }, { upsert: true });
}
