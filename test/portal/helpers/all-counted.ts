import type { Models } from '../../../models/schemas/index.ts';
import { eventually } from '../../helpers/eventually.ts';

/** Waits until the worker has counted a partner's rewards: from then on nothing of them changes by itself. */
export async function allCounted({ rewards }: Models, partnerId: string): Promise<void> {
  const isCounted = async () => (await rewards.exists({ partnerId, toCount: true })) === null;
  await eventually(isCounted, 'its rewards are counted');
}
