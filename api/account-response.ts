import { billingStatusFrom } from '../models/billing/index.ts';
import { type ApiMiddleware, requireState } from './context.ts';
import type { AccountDeps } from './deps.ts';
import type { Principal } from './principals.ts';
import { sharedResponse } from './shared-response.ts';

/** The account whose figures are read, and the instant they are read for. */
export interface AccountHolder
  extends Pick<Principal, 'partnerId' | 'integrationId' | 'mode' | 'billingStatus'> {
  /** ISO 8601. The billing status is the one at this instant. */
  at: string;
}

/**
 * Responds to a GET with the figures of the caller's account.
 * @param read reads the body of the response
 */
export function accountResponse(
  { models, now }: Pick<AccountDeps, 'models' | 'now'>,
  read: (holder: AccountHolder) => Promise<unknown>,
): ApiMiddleware {
  return sharedResponse(
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
