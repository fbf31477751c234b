import Joi from 'joi';
import { ServiceError } from '../domain/errors.ts';
import { type Mode, modes } from '../domain/mode.ts';
import { type PointsEnd, type PointsLife, pointsLives } from '../domain/points-end.ts';
import { setPointsEnd } from '../domain/points-end-facts.ts';
import { findPartner } from '../models/identity/partners.ts';
import { readPointsEnd } from '../models/ledger/index.ts';
import { databaseTime } from '../models/store/database-time.ts';
import type { OperationDeps } from './deps.ts';
import { isLive } from './earning-rules.ts';
import { idField } from './fields.ts';
import { sensitiveOperation, takesTwo } from './operation.ts';

interface PointsEndInput {
  partnerId: string;
  mode: Mode;
  /** Null if points do not end. */
  after: PointsLife | null;
  /** The setting that was in force when somebody looked, or null. */
  seen?: string | null;
}

/** @throws ServiceError CONFLICT if another setting is in force than was seen */
function requireSeen(active: PointsEnd | null, seen: string | null): void {
  if ((active?.settingId ?? null) === seen) return;
  throw new ServiceError(
    'CONFLICT',
    'When points end has been changed since you looked. Check the changes again.',
  );
}

/**
 * Sets after how long without activity the points of a partner's customers end in a mode. What they have by then never
 * does. In LIVE, it takes an owner of the partner or two operators.
 */
export const changePointsEnd = sensitiveOperation({
  name: 'points-end.set',
  permission: {
    operator: 'points-end.set',
    user: { TEST: 'points-end.test', LIVE: 'points-end.live' },
  },
  secondFactor: 'LIVE',
  input: Joi.object<PointsEndInput>({
    partnerId: idField,
    mode: Joi.string()
      .valid(...modes)
      .required(),
    after: Joi.string()
      .valid(...pointsLives)
      .allow(null)
      .required(),
    seen: Joi.string().allow(null),
  }),
  find: ({ models }, { partnerId }) => findPartner(models, partnerId),
  atWorst: {
    moves: 'when later points of customers end',
    undo: 'points-end.set',
    two: takesTwo.inLive,
  },
  approval: {
    async shown({ models }, { partnerId, mode, after }, partner) {
      const active = await readPointsEnd(models, { partnerId, mode });
      return {
        partnerId,
        partner: partner.name,
        mode,
        after,
        activeId: active?.settingId ?? null,
        activeAfter: active?.after ?? null,
      };
    },
    needed: isLive,
  },
  audit: ({ partnerId, mode, after }) => ({
    targetId: partnerId,
    partnerId,
    details: { mode, after },
  }),

  /** @throws ServiceError CONFLICT if another setting is in force than was seen */
  async run(
    { models, commit }: Pick<OperationDeps, 'models' | 'commit'>,
    { partnerId, mode, after, seen },
    { shown, idOf },
  ): Promise<{ setting: PointsEnd | null; changed: boolean }> {
    const at = await databaseTime(models);
    const settingId = idOf('pointsEnd');
    return await commit({
      partnerId,
      wallet: { partnerId, mode },
      decide(draft) {
        const before = draft.wallet?.pointsEnd ?? null;
        if ((before?.after ?? null) === after) return { setting: before, changed: false };
        if (seen !== undefined) requireSeen(before, seen);
        if (shown) requireSeen(before, shown.activeId as string | null);
        return { setting: setPointsEnd(draft, { settingId, after, mode }, { at }), changed: true };
      },
    });
  },

  completion: ({ changed }) => ({ details: { changed } }),
});
