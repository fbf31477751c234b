import { maxIntegrations } from '../../domain/credentials.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import { isFundedFrom, waitingIn, walletBalances } from '../ledger/index.ts';
import type { IntegrationDoc } from '../schemas/integrations.ts';
import { type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** The newest keys shown of an integration; the list of keys has all. */
const maxKeys = 25;

/** An integration of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export async function findOwnIntegration(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<IntegrationDoc> {
  const integration = await models.integrations.findOne({ partnerId, _id });
  if (integration) return integration;
  throw new ServiceError('NOT_FOUND', 'There is no such integration.');
}

/** A page of a partner's integrations, with the numbers of their active keys. */
export async function readIntegrations(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  query: PageQuery,
) {
  const { items, nextCursor } = await page(
    models.integrations,
    [{ partnerId }],
    query,
    (integration) => integration,
  );
  const keys = await models.credentials.aggregate<{ _id: string; TEST: number; LIVE: number }>([
    {
      $match: { partnerId, integrationId: { $in: items.map(({ _id }) => _id) }, revokedAt: null },
    },
    {
      $group: {
        _id: '$integrationId',
        TEST: { $sum: { $cond: [{ $eq: ['$mode', 'TEST'] }, 1, 0] } },
        LIVE: { $sum: { $cond: [{ $eq: ['$mode', 'LIVE'] }, 1, 0] } },
      },
    },
  ]);
  return { items, nextCursor, keysOf: new Map(keys.map((one) => [one._id, one])) };
}

export type Integrations = Awaited<ReturnType<typeof readIntegrations>>;

/** An integration with its newest keys of a mode, and its test funding. @throws ServiceError NOT_FOUND */
export async function readIntegration(
  deps: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
  mode: Mode,
) {
  const { models } = deps;
  const integration = await findOwnIntegration(deps, partnerId, _id);
  const wallet = { mode: 'TEST', partnerId, integrationId: _id } as const;
  const [keys, isFunded, balances, waiting] = await Promise.all([
    models.credentials
      .find({ partnerId, integrationId: _id, mode })
      .sort({ _id: -1 })
      .limit(maxKeys),
    isFundedFrom(models, wallet),
    walletBalances(models, wallet),
    waitingIn(models, wallet),
  ]);
  return { integration, keys, isFunded, balances, waiting };
}

export type IntegrationDetails = Awaited<ReturnType<typeof readIntegration>>;

/** An integration and the balances of its test funding. @throws ServiceError NOT_FOUND */
export async function readTestFunding(
  deps: Pick<ViewDeps, 'models'>,
  partnerId: PartnerScope,
  _id: string,
) {
  const integration = await findOwnIntegration(deps, partnerId, _id);
  const wallet = { mode: 'TEST', partnerId, integrationId: _id } as const;
  return { integration, balances: await walletBalances(deps.models, wallet) };
}

export type TestFunding = Awaited<ReturnType<typeof readTestFunding>>;

/** All integrations of a partner as the options of a select, newest first. */
export async function integrationChoices(
  { models }: ModelDeps,
  partnerId: PartnerScope,
): Promise<{ value: string; text: string }[]> {
  const all = await models.integrations
    .find({ partnerId }, { name: 1 })
    .sort({ _id: -1 })
    .limit(maxIntegrations);
  return all.map(({ _id, name }) => ({ value: _id, text: name }));
}
