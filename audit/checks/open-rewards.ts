import type { Check } from '../audit.ts';

const running = 'open rewards: each has a running workflow';
const mended = 'open rewards: restarted since the previous audit';

/**
 * The result of the latest reconciliation, since the database does not know which workflows are
 * running: how many open rewards it checked, how many workflows it could not start, and how many it
 * started again.
 */
export const openRewardsRun: Check = {
  name: running,
  async run({ models, partnerId }, report) {
    // A reconciliation covers all partners.
    if (partnerId !== undefined) return;
    report.looked(running, 0);
    report.looked(mended, 0);
    const newest = await models.reconciliationRuns.findOne().sort({ _id: -1 });
    if (newest === null) return;
    report.looked(running, newest.lookedAt);
    if (newest.failed > 0) report.fault(running, `${newest._id}: ${newest.summary}`);

    const audit = await models.auditRuns.findOne({ partnerId: null }).sort({ _id: -1 });
    const since = audit?.startedAt ?? new Date(0);
    const [sum] = await models.reconciliationRuns.aggregate<{ startedAgain: number }>([
      { $match: { endedAt: { $gt: since } } },
      { $group: { _id: null, startedAgain: { $sum: '$startedAgain' } } },
    ]);
    report.looked(mended, sum?.startedAgain ?? 0);
  },
};
