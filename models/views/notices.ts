import type { NoticeRhythm } from '../../domain/notices.ts';
import type { ViewDeps } from './deps.ts';

/** The notices that a user receives by email, and how often. */
export async function readNotices(
  { models }: Pick<ViewDeps, 'models'>,
  userId: string,
): Promise<{ notices: string[]; rhythm: NoticeRhythm }> {
  const chosen = await models.webhookEndpoints.findOne({ userId }, { eventTypes: 1, rhythm: 1 });
  return { notices: chosen?.eventTypes ?? [], rhythm: chosen?.rhythm ?? 'AT_ONCE' };
}
