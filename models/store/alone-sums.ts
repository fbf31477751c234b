import { ServiceError } from '../../domain/errors.ts';
import { dayMs } from '../../domain/utc-days.ts';
import type { Models } from '../schemas/index.ts';
import { addWithinLimit } from './add-within-limit.ts';

/** The sums that an amount counts towards, each a kind and an id, such as `partner:prt_…`. */
export type Scopes = readonly string[];

const idOf = (scope: string, at: number): string =>
  `${scope}:${new Date(at).toISOString().slice(0, 10)}`;

/** The largest sum that was moved today without approval in these scopes, in cents. */
export async function movedAlone(models: Models, scopes: Scopes, at: number): Promise<number> {
  const sums = await models.aloneSums.find({ _id: { $in: scopes.map((one) => idOf(one, at)) } });
  return Math.max(0, ...sums.map(({ cents }) => cents));
}

/**
 * Counts an amount that is about to be moved without approval in each scope, unless that would
 * exceed the limit. Concurrent calls never exceed it together. An amount that is not moved after
 * all stays counted until the end of the day.
 * @throws ServiceError CONFLICT if the limit would be exceeded
 */
export async function countAlone(
  models: Models,
  scopes: Scopes,
  { cents, limitCents, at }: { cents: number; limitCents: number; at: number },
): Promise<void> {
  const expiresAt = new Date(at + 2 * dayMs);
  for (const scope of scopes) {
    const sum = { _id: idOf(scope, at), expiresAt };
    if (await addWithinLimit(models.aloneSums, sum, 'cents', { by: cents, limit: limitCents }))
      continue;
    throw new ServiceError(
      'CONFLICT',
      'Others moved money at the same moment, and the total exceeds what one operator can move alone. Submit it again to propose it.',
    );
  }
}
