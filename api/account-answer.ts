import { standingFrom } from '../models/billing/index.ts';
import { type ApiMiddleware, needed } from './context.ts';
import type { AccountDeps } from './deps.ts';
import type { Principal } from './principals.ts';
import { sharedAnswer } from './shared-answer.ts';

/** Whose figures are asked for, and as of when. */
export interface AccountHolder
  extends Pick<Principal, 'partnerId' | 'integrationId' | 'mode' | 'standing'> {
  /** ISO 8601; the standing is that of this instant. */
  at: string;
}

/** Answers a GET with what is read of whoever asks. */
export function accountAnswer(
  { models, now }: Pick<AccountDeps, 'models' | 'now'>,
  read: (holder: AccountHolder) => Promise<unknown>,
): ApiMiddleware {
  return sharedAnswer(
    (ctx) => {
      const { partnerId, integrationId, mode } = needed(ctx, 'principal');
      return `${partnerId}/${integrationId}/${mode}`;
    },
    async (ctx) => {
      const { partnerId, integrationId, mode, standing: known } = needed(ctx, 'principal');
      const at = new Date(now()).toISOString();
      const standing = await standingFrom(models, known, partnerId, at);
      return await read({ partnerId, integrationId, mode, standing, at });
    },
  );
}
