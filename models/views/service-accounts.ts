import { ServiceError } from '../../domain/errors.ts';
import type { Mode } from '../../domain/mode.ts';
import type { ServiceAccountDoc } from '../schemas/integrations.ts';
import { type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps } from './deps.ts';
import type { PartnerScope } from './partner-scope.ts';

/** A page of a partner's service accounts of a mode, newest first, including revoked and expired ones. */
export async function readServiceAccounts(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  mode: Mode,
  query: PageQuery,
): Promise<Page<ServiceAccountDoc>> {
  return await page(models.serviceAccounts, [{ partnerId, mode }], query, (account) => account);
}

/** A service account of a partner. @throws ServiceError NOT_FOUND, also for another partner's */
export async function findOwnServiceAccount(
  { models }: ModelDeps,
  partnerId: PartnerScope,
  _id: string,
): Promise<ServiceAccountDoc> {
  const account = await models.serviceAccounts.findOne({ partnerId, _id });
  if (account) return account;
  throw new ServiceError('NOT_FOUND', 'There is no such service account.');
}
