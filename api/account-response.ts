import { billingStatusFrom } from '../models/billing/index.ts';
import { type ApiMiddleware, requireState } from './context.ts';
import type { AccountDeps } from './deps.ts';
import type { Principal } from './principals.ts';
import { sharedAnswer } from './shared-answer.ts';

/** Whose figures are asked for, and as of when. */
export interface AccountHolder
  extends Pick<Principal, 'partnerId' | 'integrationId' | 'mode' | 'billingStatus'> {
  /** ISO 8601; the billing status is that of this instant. */
  at: string;
}

/** Answers a GET with what is read of whoever asks. */
export function accountAnswer(
  { models, now }: Pick<AccountDeps, 'models' | 'now'>,
  read: (holder: AccountHolder) => Promise<unknown>,
): ApiMiddleware {
  return sharedAnswer(
    (ctx) => {
      const { partnerId, integrationId, mode } = requireState(ctx, 'principal');
      return `${partnerId}/${integrationId}/${mode}`;
    },
    async (ctx) => {
      const {
        partnerId,
        integrationId,
        mode,
        billingStatus: known,
      } = requireState(ctx, 'principal');
      const at = new Date(now()).toISOString();
      const billingStatus = await billingStatusFrom(models, known, partnerId, at);
      return await read({ partnerId, integrationId, mode, billingStatus, at });
    },
  );
}
