import { pointsLinkMs } from '../../domain/points-link.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { Models } from '../schemas/index.ts';
import type { PointsLinkDoc } from '../schemas/points-link.ts';

/** Whose points a link shows. */
export type PointsLink = Omit<PointsLinkDoc, '_id' | 'expiresAt'>;

/** Makes a link to a customer's points; those that were sent before stay open. @returns its token in clear, this once */
export async function createPointsLink(
  models: Models,
  link: PointsLink,
  nowMs: number,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const expiresAt = new Date(nowMs + pointsLinkMs);
  await models.pointsLinks.create({ _id: sha256Hex(token), ...link, expiresAt });
  return { token, expiresAt };
}

/** Whose points a link shows; null once it has ended, or its customer was erased. */
export async function findPointsLink(
  models: Models,
  token: string,
  nowMs: number,
): Promise<PointsLink | null> {
  const open = { _id: sha256Hex(token), expiresAt: { $gt: new Date(nowMs) } };
  const link = await models.pointsLinks.findOne(open).lean<PointsLinkDoc>();
  if (!link) return null;
  const { partnerId, customerId, dataKeyId: _id } = link;
  const isThere = await models.dataKeys.exists({
    ...{ partnerId, customerId, _id },
    wrapped: { $ne: null },
  });
  return isThere ? link : null;
}
