import { isDeepStrictEqual } from 'node:util';
import { limitCentsOf } from '../../domain/limit-units.ts';
import { isRaise, type Role } from '../../domain/operators.ts';
import type { AuditEntryDoc } from '../../models/schemas/audit.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { PartnerDoc } from '../../models/schemas/partners.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';
import type { AuditReport } from '../report.ts';

const name = 'operators: what takes two was not done by one';

/** What was reviewed for go-live: once LIVE, one operator cannot change it. */
const reviewed = [
  'name',
  'legalName',
  'website',
  'supportEmail',
  'contactEmail',
  'country',
  'currency',
];
const contract = ['maxPointMicros', 'maxRewardCents', 'redemptions'];

const looked = [
  'partner.create',
  'partner.update',
  'partner.invite',
  'partner.approve-go-live',
  'integration.update',
  'credential.create',
  'credential.rotate',
  'webhook-endpoint.create',
  'subscription.create',
  'subscription.change',
  'user.reset-second-factor',
  'operator.create',
  'operator.change-role',
  'review.decide',
  'reward.cancel',
  'reward.reinstate',
  'reward.correct-contact',
];

/**
 * What one operator did alone, whatever was needed at the time: it compares what the audit log has with what
 * takes two now. What was done while approvals were switched off is reported elsewhere. And no LIVE service
 * account and no LIVE key works for ever.
 */
export const loneOperators: Check = {
  name,
  async run(deps, report) {
    const { models } = deps;
    report.looked(name, 0);
    const offDays = await daysOff(models);
    const sums = new Map<string, number>();
    const scopes = deps.partnerId === undefined ? [null] : [];
    for (const partnerId of scopes) await lookAt(deps, report, partnerId, { offDays, sums });
    for await (const partnerId of deps.partners()) {
      await lookAt(deps, report, partnerId, { offDays, sums });
      await endlessAccess(models, report, partnerId);
      // The sums of its customers are complete.
      for (const scope of sums.keys()) if (!scope.startsWith('operator')) sums.delete(scope);
      await deps.pace();
    }
  },
};

interface Context {
  /** UTC days on which approvals were off. */
  offDays: ReadonlySet<string>;
  /** What was decided alone, in cents, by scope and day. */
  sums: Map<string, number>;
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

async function daysOff({ auditEntries }: Models): Promise<Set<string>> {
  const alone = await auditEntries.find({ isAlone: true }, { at: 1 });
  return new Set(alone.map(({ at }) => dayOf(at)));
}

async function lookAt(
  deps: AuditDeps,
  report: AuditReport,
  partnerId: string | null,
  { offDays, sums }: Context,
): Promise<void> {
  const { models } = deps;
  const partner = partnerId === null ? null : await models.partners.findById(partnerId);
  const known = await knownBefore(models, partnerId);
  const read = (last: AuditEntryDoc | undefined) =>
    models.auditEntries
      .find({
        partnerId,
        status: { $ne: 'FAILED' },
        action: { $in: looked },
        ...(last && { _id: { $gt: last._id } }),
      })
      .sort({ _id: 1 })
      .hint({ partnerId: 1, _id: -1 })
      .limit(pageSize);
  for await (const entries of pagesOf<AuditEntryDoc>(read)) {
    for (const entry of entries) {
      const wrong = wrongAbout(entry, partner, known);
      const isAlone = entry.approvedBy === null && entry.actorId.startsWith('opr_');
      const isOff = entry.isAlone === true || offDays.has(dayOf(entry.at));
      if (wrong !== null && isAlone && !isOff) {
        report.fault(name, `operation ${entry._id} (${entry.action}): ${entry.actorId} ${wrong}`);
      }
    }
    await sumDecisions(deps, report, entries, { offDays, sums });
    report.looked(name, entries.length);
  }
}

/** The values that were last known, by field: at first those that two people reviewed. */
type Known = Map<string, unknown>;

async function knownBefore({ proposals }: Models, partnerId: string | null): Promise<Known> {
  if (partnerId === null) return new Map();
  const reviewedBy = await proposals
    .findOne({ partnerId, action: 'partner.approve-go-live', status: 'APPROVED' })
    .sort({ _id: -1 });
  return new Map([
    // Absent until somebody chooses.
    ['redemptions', null],
    ...Object.entries(reviewedBy?.shown ?? {}).filter(([field]) => reviewed.includes(field)),
  ]);
}

/** @returns what one operator must not do alone, as the end of a sentence; notes what is known from then on */
function wrongAbout(
  { action, details, at }: AuditEntryDoc,
  partner: PartnerDoc | null,
  known: Known,
): string | null {
  const decidedAt = partner?.goLive.state === 'LIVE' ? partner.goLive.decidedAt : null;
  const isLive = decidedAt !== null && at > decidedAt;
  const changed = (fields: readonly string[]) =>
    fields.filter(
      (field) => field in details && !isDeepStrictEqual(known.get(field), details[field]),
    );
  const isKnown = (field: string) => known.has(field);
  switch (action) {
    case 'partner.create':
    case 'partner.update': {
      const names = [
        ...(isLive ? changed(reviewed).filter(isKnown) : []),
        ...changed(contract).filter(isKnown),
      ];
      const isLifted = details.status === 'ACTIVE' && known.get('status') === 'SUSPENDED';
      const isAfterReview = decidedAt === null || isLive;
      for (const [field, value] of Object.entries(details)) {
        // Before go-live, what counts is what was reviewed then.
        if (isAfterReview || !reviewed.includes(field) || !known.has(field))
          known.set(field, value);
      }
      if (isLifted) return 'lifted a suspension alone';
      return names.length > 0 ? `changed ${names.join(', ')} alone` : null;
    }
    case 'partner.invite':
      if (details.role === 'owner') return 'invited an owner alone';
      return isLive ? `invited a ${details.role} of a LIVE partner alone` : null;
    case 'integration.update':
      return isLive ? 'changed who delivers LIVE claim links alone' : null;
    case 'credential.create':
      return details.mode === 'LIVE' ? 'created a LIVE key alone' : null;
    case 'credential.rotate':
      return details.mode === 'LIVE' ? 'made a LIVE secret alone' : null;
    case 'webhook-endpoint.create':
      return details.mode === 'LIVE' ? 'created a LIVE webhook endpoint alone' : null;
    case 'subscription.create':
    case 'subscription.change':
      return 'made a partner owe alone';
    case 'user.reset-second-factor':
      return isLive ? 'reset the second factor of an owner of a LIVE partner alone' : null;
    case 'reward.correct-contact':
      return details.mode === 'LIVE' ? 'corrected the contact of a LIVE reward alone' : null;
    case 'reward.cancel':
      return details.mode === 'LIVE' ? 'cancelled a LIVE reward alone' : null;
    case 'reward.reinstate':
      return details.mode === 'LIVE' ? 'reinstated a LIVE reward alone' : null;
    case 'operator.create':
      return isRaise('viewer', details.role as Role) ? 'created an approver alone' : null;
    case 'operator.change-role':
      return isRaise(details.from as Role, details.to as Role) ? 'raised a role alone' : null;
    default:
      return null;
  }
}

/** Compares the day's sums of what was decided about LIVE rewards alone with the limit: both verdicts count. */
async function sumDecisions(
  { models, reviewCents }: AuditDeps,
  report: AuditReport,
  entries: readonly AuditEntryDoc[],
  { offDays, sums }: Context,
): Promise<void> {
  const decided = entries.filter(
    ({ action, approvedBy, actorId, isAlone, at }) =>
      action === 'review.decide' &&
      approvedBy === null &&
      actorId.startsWith('opr_') &&
      !isAlone &&
      !offDays.has(dayOf(at)),
  );
  const [{ partnerId } = { partnerId: null }] = decided;
  if (reviewCents === undefined || partnerId === null) return;
  const reviewIds = decided.flatMap(({ targetId }) => targetId ?? []);
  const reviews = await models.reviews.find({ partnerId, _id: { $in: reviewIds }, mode: 'LIVE' });
  const rewards = await models.rewards.find({
    partnerId,
    _id: { $in: reviews.map(({ rewardId }) => rewardId) },
  });
  const rewardOf = new Map(
    reviews.map(({ _id, rewardId }) => [_id, rewards.find((one) => one._id === rewardId)]),
  );
  for (const { targetId, actorId, at } of decided) {
    const reward = rewardOf.get(targetId ?? '');
    if (!reward) continue;
    const { customerId, currency } = reward;
    const cents = limitCentsOf(reward.liabilityCents, currency);
    const day = dayOf(at);
    const scopes = [`operator ${actorId}`, `partner ${partnerId}`, `customer ${customerId}`];
    for (const scope of scopes) {
      const before = sums.get(`${scope} ${day}`) ?? 0;
      sums.set(`${scope} ${day}`, before + cents);
      if (before > reviewCents || before + cents <= reviewCents) continue;
      report.fault(
        name,
        `operations of ${day} (review.decide): decisions by one operator, of ${scope}, were worth more than the limit of a day`,
      );
    }
  }
}

async function endlessAccess(
  { serviceAccounts, credentials }: Models,
  report: AuditReport,
  partnerId: string,
): Promise<void> {
  const endless = await serviceAccounts.find({
    partnerId,
    mode: 'LIVE',
    expiresAt: null,
    revokedAt: null,
  });
  for (const { _id } of endless) {
    report.fault(name, `service account ${_id}: it is LIVE and has no end`);
  }
  const keys = await credentials.find({
    partnerId,
    mode: 'LIVE',
    revokedAt: null,
    secrets: { $elemMatch: { expiresAt: null, revokedAt: null } },
  });
  for (const { _id } of keys) {
    report.fault(name, `credential ${_id}: it is LIVE, and a secret of it has no end`);
  }
}
