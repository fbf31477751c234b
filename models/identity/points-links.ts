import { pointsLinkMs } from '../../domain/customer.ts';
import { newToken, sha256Hex } from '../../platform/hashing.ts';
import type { PointsLinkDoc } from '../schemas/customers.ts';
import type { Models } from '../schemas/index.ts';

/** The customer whose points a link shows. */
export type PointsLink = Omit<PointsLinkDoc, '_id' | 'expiresAt'>;

/**
 * Creates a link to a customer's points. Links sent before stay valid.
 * @returns its token in clear; only the hash is stored
 */
export async function createPointsLink(
  models: Models,
  link: PointsLink,
  nowMs: number,
  lifeMs = pointsLinkMs,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const expiresAt = new Date(nowMs + lifeMs);
  await models.pointsLinks.create({ _id: sha256Hex(token), ...link, expiresAt });
  return { token, expiresAt };
}
