import { ServiceError } from '../../domain/errors.ts';
import type { EarningRuleDoc, RuleActivationDoc } from '../../models/schemas/rules.ts';
import { insertNext } from '../../models/store/insert-next.ts';
import { newId } from '../../platform/ids.ts';
import type { AuditDeps } from '../deps.ts';

const maxRaces = 10;

/**
 * Appends to the log of active rules of one (partner, mode, currency, integration). After a lost race for
 * the next `seq`, it decides again.
 * @param decide gets the active rule and returns the next one, or `undefined` to change nothing
 * @returns whether anything was appended
 * @throws ServiceError CONFLICT if every attempt lost its race
 */
export async function appendActivation(
  { models, now }: AuditDeps,
  { partnerId, mode, currency, integrationId }: EarningRuleDoc,
  decide: (activeRuleId: string | null) => string | null | undefined,
): Promise<boolean> {
  const log = { partnerId, mode, currency, integrationId };
  const appended = await insertNext({
    newest: () => models.ruleActivations.findOne(log).sort({ seq: -1 }),
    next(newest): RuleActivationDoc | undefined {
      const ruleId = decide(newest?.ruleId ?? null);
      if (ruleId === undefined) return undefined;
      const seq = (newest?.seq ?? 0) + 1;
      return { ...log, _id: newId('activation'), seq, ruleId, activatedAt: new Date(now()) };
    },
    insert: (activation) => models.ruleActivations.create(activation),
    maxRaces,
    allLost: () =>
      new ServiceError(
        'CONFLICT',
        'Others are changing the active rule right now. Reload and try again.',
      ),
  });
  return appended !== undefined;
}
