import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { modes } from '../domain/mode.ts';
import { type PolicyTerms, policyLimits } from '../domain/refund-policy.ts';
import { findPartner } from '../models/identity/partners.ts';
import { findActivePolicy, findPolicy, toRefundPolicy } from '../models/rewards/refund-policies.ts';
import type { PolicyActivationDoc, RefundPolicyDoc } from '../models/schemas/policies.ts';
import { insertNext } from '../models/store/insert-next.ts';
import { newId } from '../platform/ids.ts';
import type { AuditLogDeps } from './deps.ts';
import { isLive } from './earning-rules.ts';
import { idField } from './fields.ts';
import { operation, type ShownDeps, sensitiveOperation, takesTwo } from './operation.ts';

const whole = (min: number, max: number) => Joi.number().integer().min(min).max(max);

/** Stores a version of a refund policy, which nothing changes afterwards. It decides nothing until it is activated. */
export const createPolicy = operation({
  name: 'refund-policy.create',
  permission: {
    operator: 'refund-policy.create',
    user: { TEST: 'refund-policy.test', LIVE: 'refund-policy.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<PolicyTerms>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    maxCents: whole(0, policyLimits.cents).allow(null).required(),
    perCustomer: Joi.object({
      count: whole(1, policyLimits.count).required(),
      days: whole(1, policyLimits.days).required(),
    })
      .allow(null)
      .required(),
    withinDays: whole(1, policyLimits.days).allow(null).required(),
    graceHours: whole(1, policyLimits.graceHours).required(),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  approval: 'NONE',
  audit: ({ partnerId, ...details }) => ({ targetId: null, partnerId, details }),

  async run({ models, now }: AuditLogDeps, terms): Promise<RefundPolicyDoc> {
    const policy = { ...terms, _id: newId('policy'), createdAt: new Date(now()) };
    await models.refundPolicies.create(policy);
    return policy;
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});

const maxRaces = 10;

/** Appends to the log of a partner's policies in force in a mode. @returns whether anything was appended */
async function appendActivation(
  { models, now }: AuditLogDeps,
  { partnerId, mode }: RefundPolicyDoc,
  decide: (activeId: string | null) => string | null | undefined,
): Promise<boolean> {
  const appended = await insertNext({
    newest: () => models.policyActivations.findOne({ partnerId, mode }).sort({ seq: -1 }),
    next(newest): PolicyActivationDoc | undefined {
      const policyId = decide(newest?.policyId ?? null);
      if (policyId === undefined) return undefined;
      const seq = (newest?.seq ?? 0) + 1;
      const activatedAt = new Date(now());
      return { _id: newId('activation'), partnerId, mode, seq, policyId, activatedAt };
    },
    insert: (activation) => models.policyActivations.create(activation),
    maxRaces,
    allLost: () =>
      new ServiceError(
        'CONFLICT',
        'Others are changing the policy right now. Reload and try again.',
      ),
  });
  return appended !== undefined;
}

/** @throws ServiceError CONFLICT if another policy is in force than was seen */
function requireSeen(activeId: string | null, seen: string | null): void {
  if (activeId === seen) return;
  throw new ServiceError(
    'CONFLICT',
    'Another policy has come into force since you looked. Check the changes again.',
  );
}

/** What is shown of a change of the policy in force. */
async function shownOfPolicy({ models }: Pick<ShownDeps, 'models'>, stored: RefundPolicyDoc) {
  const { policyId, partnerId, mode, ...terms } = toRefundPolicy(stored);
  const [active, partner] = await Promise.all([
    findActivePolicy(models, partnerId, mode),
    models.partners.findById(partnerId, { name: 1, currency: 1 }),
  ]);
  return {
    partnerId,
    partner: partner?.name ?? null,
    currency: partner?.currency ?? null,
    policyId,
    mode,
    ...terms,
    activePolicyId: active?.policyId ?? null,
  };
}

/**
 * Puts a version of a refund policy in force for its partner and mode, for refunds from then on. In LIVE, it takes an
 * owner of the partner or two operators.
 */
export const activatePolicy = sensitiveOperation({
  name: 'refund-policy.activate',
  permission: {
    operator: 'refund-policy.activate',
    user: { TEST: 'refund-policy.test', LIVE: 'refund-policy.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ policyId: string; seen?: string | null }>({
    policyId: idField,
    seen: Joi.string().allow(null),
  }),
  find: ({ models }, { policyId }) => findPolicy(models, policyId),
  atWorst: {
    moves: 'what customers lose of later refunds',
    undo: 'refund-policy.deactivate',
    two: takesTwo.inLive,
  },
  approval: {
    shown: ({ models }, _input, policy) => shownOfPolicy({ models }, policy),
    needed: isLive,
  },
  audit: ({ policyId }, { partnerId }) => ({ targetId: policyId, partnerId }),

  /** @throws ServiceError CONFLICT if another policy is in force now, or after too many lost races */
  async run(deps: AuditLogDeps, { policyId, seen }, { found: policy, shown }) {
    const changed = await appendActivation(deps, policy, (active) => {
      if (active === policyId) return undefined;
      if (seen !== undefined) requireSeen(active, seen);
      if (shown) requireSeen(active, shown.activePolicyId as string | null);
      return policyId;
    });
    return { policy, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});

/** Ends a refund policy without another: operators decide all refunds from then on. */
export const deactivatePolicy = sensitiveOperation({
  name: 'refund-policy.deactivate',
  permission: {
    operator: 'refund-policy.deactivate',
    user: { TEST: 'refund-policy.test', LIVE: 'refund-policy.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<{ policyId: string }>({ policyId: idField }),
  find: ({ models }, { policyId }) => findPolicy(models, policyId),
  atWorst: {
    moves: 'who decides later refunds',
    undo: 'refund-policy.activate',
    two: takesTwo.inLive,
  },
  approval: {
    shown: ({ models }, _input, policy) => shownOfPolicy({ models }, policy),
    needed: isLive,
  },
  audit: ({ policyId }, { partnerId }) => ({ targetId: policyId, partnerId }),

  async run(deps: AuditLogDeps, { policyId }, { found: policy, shown }) {
    const changed = await appendActivation(deps, policy, (active) => {
      if (active !== policyId) return undefined;
      if (shown) requireSeen(active, shown.activePolicyId as string | null);
      return null;
    });
    return { policy, changed };
  },

  completion: ({ changed }) => ({ details: { changed } }),
});
