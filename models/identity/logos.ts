import { defaultBranding, type Logo } from '../../domain/branding.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partner.ts';
import { insertOnce } from '../store/insert-once.ts';

/** A picture as it is stored and served. */
export interface Picture extends Omit<Logo, 'hash'> {
  bytes: Buffer;
}

type Owner = Pick<PartnerDoc, '_id' | 'branding'>;

const hashChars = 32;

/** Makes a picture a partner's logo, and forgets the one before. */
export async function saveLogo(
  models: Models,
  { _id: partnerId, branding }: Owner,
  { bytes, ...facts }: Picture,
  createdAt: Date,
): Promise<Logo> {
  // Two partners with the same picture have an address each: one that goes takes nothing from the other.
  const hash = sha256Hex(Buffer.concat([Buffer.from(`${partnerId}\n`), bytes])).slice(0, hashChars);
  await insertOnce(() => models.logos.create({ _id: hash, partnerId, ...facts, bytes, createdAt }));
  const logo: Logo = { hash, ...facts };
  await models.partners.updateOne(
    { _id: partnerId },
    { $set: branding ? { 'branding.logo': logo } : { branding: { ...defaultBranding, logo } } },
  );
  await models.logos.deleteMany({ partnerId, _id: { $ne: hash } });
  return logo;
}

/** A partner has no logo any more, and nobody is served it. */
export async function removeLogo(models: Models, { _id: partnerId }: Owner): Promise<void> {
  await models.partners.updateOne({ _id: partnerId }, { $unset: { 'branding.logo': '' } });
  await models.logos.deleteMany({ partnerId });
}
