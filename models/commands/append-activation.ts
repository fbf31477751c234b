import { ServiceError } from '../../domain/errors.ts';
import { newId } from '../../platform/ids.ts';
import { insertOnce } from '../insert-once.ts';
import type { EarningRuleDoc, RuleActivationDoc } from '../schemas/earning-rule.ts';
import type { CommandDeps } from './deps.ts';

const maxRaces = 10;

/**
 * Appends to the log of active rules of one (partner, mode, currency, integration). Two appenders
 * race for the next `seq`; the loser reads again and decides again.
 * @param decide given the rule that is active now, the one to be active next, or `undefined` to leave it
 * @returns whether anything was appended
 * @throws ServiceError CONFLICT when every attempt lost its race
 */
export async function appendActivation(
  { models, now }: Pick<CommandDeps, 'models' | 'now'>,
  { partnerId, mode, currency, integrationId }: EarningRuleDoc,
  decide: (activeRuleId: string | null) => string | null | undefined,
): Promise<boolean> {
  const log = { partnerId, mode, currency, integrationId };
  for (let race = 0; race < maxRaces; race++) {
    const newest = await models.ruleActivations.findOne(log).sort({ seq: -1 }).lean();
    const ruleId = decide(newest?.ruleId ?? null);
    if (ruleId === undefined) return false;
    const activation: RuleActivationDoc = {
      ...log,
      _id: newId('activation'),
      seq: (newest?.seq ?? 0) + 1,
      ruleId,
      activatedAt: new Date(now()),
    };
    if (await insertOnce(() => models.ruleActivations.create(activation))) return true;
  }
  throw new ServiceError(
    'CONFLICT',
    'Others are changing the active rule right now. Look, and ask again.',
  );
}
