import { defaultBranding, type Logo } from '../../domain/branding.ts';
import { sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { insertOnce } from '../store/insert-once.ts';

/** An image as stored and served. */
export interface Picture extends Omit<Logo, 'hash'> {
  bytes: Buffer;
}

type Owner = Pick<PartnerDoc, '_id' | 'branding'>;

const hashChars = 32;

/** Stores an image as a partner's logo and deletes the previous one. */
export async function saveLogo(
  models: Models,
  { _id: partnerId, branding }: Owner,
  { bytes, ...facts }: Picture,
  createdAt: Date,
): Promise<Logo> {
  // Two partners with the same image have a URL each, so that removing one does not affect the
  // other.
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

/** Removes a partner's logo. */
export async function deleteLogo(models: Models, { _id: partnerId }: Owner): Promise<void> {
  await models.partners.updateOne({ _id: partnerId }, { $unset: { 'branding.logo': '' } });
  await models.logos.deleteMany({ partnerId });
}
