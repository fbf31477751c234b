import { approvalsOff } from '../domain/operators.ts';
import { insertOnce } from '../models/store/insert-once.ts';
import { newId } from '../platform/ids.ts';
import { system } from './actor.ts';
import type { OperationDeps } from './deps.ts';

/**
 * Records in the audit log, once a day, that a process runs with approvals switched off while a partner is
 * LIVE. The entry is never removed: the audit, the operators' home and /statusz show it from then on.
 */
export async function noteApprovalsOff({
  models,
  config,
  now,
}: Pick<OperationDeps, 'models' | 'now'> & {
  config: Pick<OperationDeps['config'], 'approvals'>;
}): Promise<void> {
  if (config.approvals.isOn) return;
  if (!(await models.partners.exists({ 'goLive.state': 'LIVE' }))) return;
  const at = new Date(now());
  const { id: actorId } = system('start');
  await insertOnce(() =>
    models.auditEntries.create({
      _id: newId('audit'),
      actorId,
      approvedBy: null,
      requestId: 'start',
      action: approvalsOff,
      partnerId: null,
      targetId: null,
      details: {},
      once: JSON.stringify([approvalsOff, at.toISOString().slice(0, 10)]),
      isAlone: true,
      status: 'DONE',
      at,
      completedAt: at,
    }),
  );
}
