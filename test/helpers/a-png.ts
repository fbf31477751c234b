import sharp from 'sharp';

/** A PNG in a single color. */
export async function aPng(width: number, height: number): Promise<Buffer> {
  const create = { width, height, channels: 4, background: '#78787878' } as const;
  return await sharp({ create }).png().toBuffer();
}
