import type { Logo } from '../domain/branding.ts';
import type { GoLiveState } from '../domain/go-live.ts';
import type { Mode } from '../domain/mode.ts';
import { claimedStates } from '../domain/reward.ts';
import { dayMs } from '../domain/utc-days.ts';
import { findPartner } from '../models/identity/partners.ts';
import { findActiveRules } from '../models/rewards/rules.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { WebhookEndpointDoc } from '../models/schemas/webhooks.ts';
import { given, type ListPage, type PageQuery, readPage } from '../models/store/paging.ts';
import type { ModelDeps, TimedDeps, ViewDeps } from './deps.ts';
import { readFunding, readWalletView } from './funding.ts';
import { scopeOf } from './partner-scope.ts';
import { type Refusals, readRefusals } from './requests.ts';
import { readRewardTotals } from './rewards.ts';
import { containing } from './search.ts';
import { readWebhookEndpoints } from './webhooks.ts';

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
): Promise<ListPage<PartnerDoc>> =>
  readPage(
    models.partners,
    [...given({ 'goLive.state': state, status }), ...(text === undefined ? [] : [matching(text)])],
    query,
    (partner) => partner,
  );

function matching(text: string): Record<string, unknown> {
  const part = containing(text.trim());
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
      readWalletView(deps, { mode: 'LIVE', partnerId }),
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

/** Days of the claim rate: long enough for most customers to have claimed. */
export const claimRateDays = 30;

/** The health of a partner's integration in a mode. */
export interface PartnerHealth {
  mode: Mode;
  /** Of today and yesterday in UTC, most frequent code first. */
  refusals: Refusals[];
  /** Rewards of the last `claimRateDays` days. */
  rewards: number;
  /** Those of these rewards that are claimed now. */
  claimed: number;
  endpoints: Pick<WebhookEndpointDoc, 'status' | 'failingSince'>[];
  /** LIVE funds and how long they last. */
  funding: Awaited<ReturnType<typeof readFunding>>;
}

/** Reads running totals, so that it costs the same however many events there are. */
export async function readPartnerHealth(
  deps: TimedDeps,
  partner: PartnerDoc,
  mode: Mode,
): Promise<PartnerHealth> {
  const nowMs = deps.now();
  const scope = scopeOf(partner);
  const dayAgo = (days: number) => new Date(nowMs - days * dayMs).toISOString().slice(0, 10);
  const fromDay = dayAgo(claimRateDays - 1);
  const [refusals, totals, endpoints, funding] = await Promise.all([
    readRefusals(deps.models, { partnerId: scope, mode }, { from: dayAgo(1), to: dayAgo(0) }),
    readRewardTotals(deps, scope, { mode, fromDay }),
    readWebhookEndpoints(deps, scope, mode),
    readFunding(deps, scope),
  ]);
  const sum = (all: typeof totals) => all.reduce((count, { rewards }) => count + rewards, 0);
  const claimed = totals.filter(({ state }) => claimedStates.includes(state));
  return {
    mode,
    refusals,
    endpoints,
    funding,
    rewards: sum(totals),
    claimed: sum(claimed),
  };
}

/** The image of a logo; null if it does not exist. */
export async function findLogo(
  { models }: Pick<ViewDeps, 'models'>,
  { hash, type }: Pick<Logo, 'hash' | 'type'>,
): Promise<Buffer | null> {
  const logo = await models.logos.collection.findOne({ _id: hash, type });
  return logo && Buffer.from((logo.bytes as unknown as { buffer: Uint8Array }).buffer);
}
