import type { GoLiveState } from '../../domain/go-live.ts';
import { findPartner } from '../identity/partners.ts';
import { findActiveRules } from '../rewards/rules.ts';
import type { PartnerDoc } from '../schemas/partners.ts';
import { given, type Page, type PageQuery, page } from '../store/paging.ts';
import type { ModelDeps, ViewDeps } from './deps.ts';
import { partOf } from './match-partner.ts';
import { readWallet } from './wallets.ts';

/** A partner, for operators. @throws ServiceError NOT_FOUND */
export const readPartner = ({ models }: ModelDeps, partnerId: string): Promise<PartnerDoc> =>
  findPartner(models, partnerId);

/** Filters of the list of partners. */
export interface PartnerFilter {
  state?: GoLiveState | undefined;
  status?: PartnerDoc['status'] | undefined;
  /** A part of a name, an id or a contact's email address. */
  text?: string | undefined;
}

/** A page of all partners, for operators. */
export const readPartners = (
  { models }: ModelDeps,
  { state, status, text }: PartnerFilter,
  query: PageQuery,
): Promise<Page<PartnerDoc>> =>
  page(
    models.partners,
    [...given({ 'goLive.state': state, status }), ...(text === undefined ? [] : [matching(text)])],
    query,
    (partner) => partner,
  );

function matching(text: string): Record<string, unknown> {
  const part = partOf(text.trim());
  const fields = ['_id', 'name', 'legalName', 'contactEmail', 'supportEmail'];
  return { $or: fields.map((field) => ({ [field]: part })) };
}

export type Partners = Awaited<ReturnType<typeof readPartners>>;

/** More than the keys and integrations of a partner. */
const maxRows = 100;

/** One partner with its wallet, plan, keys, rules and users, for operators. @throws ServiceError NOT_FOUND */
export async function readPartnerOverview(deps: Pick<ViewDeps, 'models'>, partnerId: string) {
  const { models } = deps;
  const partner = await findPartner(models, partnerId);
  const [wallet, subscription, integrations, keys, liveRules, testRules, users, invitations] =
    await Promise.all([
      readWallet(deps, { mode: 'LIVE', partnerId }),
      models.subscriptions.findOne({ partnerId, status: 'ACTIVE' }),
      models.integrations.find({ partnerId }).sort({ _id: 1 }).limit(maxRows),
      models.credentials.find({ partnerId }).sort({ _id: -1 }).limit(maxRows),
      findActiveRules(models, partnerId, 'LIVE'),
      findActiveRules(models, partnerId, 'TEST'),
      models.users.find({ partnerId, disabledAt: null }).sort({ _id: 1 }),
      models.invitations.find({ partnerId }).sort({ _id: -1 }),
    ]);
  const plan = subscription && (await models.planVersions.findById(subscription.planVersionId));
  return {
    partner,
    wallet,
    subscription,
    plan,
    integrations,
    keys,
    users,
    invitations,
    activeRules: [...liveRules, ...testRules],
  };
}

export type PartnerOverview = Awaited<ReturnType<typeof readPartnerOverview>>;
