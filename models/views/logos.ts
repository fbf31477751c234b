import type { Logo } from '../../domain/branding.ts';
import type { LogoDoc } from '../schemas/logo.ts';
import type { ViewDeps } from './deps.ts';

/** A logo by its address; null where there is none. */
export async function findLogo(
  { models }: Pick<ViewDeps, 'models'>,
  { hash, type }: Pick<Logo, 'hash' | 'type'>,
): Promise<Buffer | null> {
  const logo = await models.logos.collection.findOne<LogoDoc>({ _id: hash as never, type });
  return logo && Buffer.from((logo.bytes as unknown as { buffer: Uint8Array }).buffer);
}
