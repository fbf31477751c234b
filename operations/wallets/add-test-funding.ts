import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { findIntegration } from '../../models/identity/integrations.ts';
import { walletBalances } from '../../models/ledger/index.ts';
import { idField } from '../fields.ts';
import { operation } from '../operation.ts';
import { type TopUpDeps, type TopUpMoney, topUpFields, topUpWallet } from './top-up-wallet.ts';

/** 10,000,000.00: the maximum of free test funding up to which partners can add it themselves. */
export const maxTestFundingCents = 1_000_000_000;

/**
 * Adds test funding to an integration, once per reference (docs/domain.md, Set-up and go-live). It is not
 * money, so that partners can add it as well, up to a limit.
 */
export const addTestFunding = operation({
  name: 'integration.test-funding',
  permission: { operator: 'integration.test-funding', user: 'integration.test-funding' },
  secondFactor: 'NEVER',
  input: Joi.object<TopUpMoney & { integrationId: string }>({
    integrationId: idField,
    ...topUpFields,
  }),
  find: ({ models }, { integrationId }) => findIntegration(models, integrationId),
  approval: 'NONE',
  audit: ({ integrationId, amountCents, externalReference: reference }, { partnerId }) => ({
    targetId: integrationId,
    partnerId,
    details: { reference, amountCents },
    once: 'BY_REFERENCE',
  }),

  /** @throws ServiceError CONFLICT above a partner's limit, or if the reference belongs to another amount */
  async run(deps: TopUpDeps, { integrationId, ...money }, { actor, found: { partnerId } }) {
    const wallet = { mode: 'TEST', partnerId, integrationId } as const;
    if (actor.kind === 'user') {
      const { fundingCents } = await walletBalances(deps.models, wallet);
      if (fundingCents + money.amountCents > maxTestFundingCents) {
        throw new ServiceError(
          'CONFLICT',
          `An integration has at most ${(maxTestFundingCents / 100).toLocaleString('en-US')} of free TEST funding.`,
        );
      }
    }
    return await topUpWallet(deps, wallet, money);
  },
});
