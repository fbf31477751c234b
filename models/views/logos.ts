import type { Logo } from '../../domain/branding.ts';
import type { ViewDeps } from './deps.ts';

/** The image of a logo; null if it does not exist. */
export async function findLogo(
  { models }: Pick<ViewDeps, 'models'>,
  { hash, type }: Pick<Logo, 'hash' | 'type'>,
): Promise<Buffer | null> {
  const logo = await models.logos.collection.findOne({ _id: hash, type });
  return logo && Buffer.from((logo.bytes as unknown as { buffer: Uint8Array }).buffer);
}
