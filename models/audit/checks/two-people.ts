import { approvalsOff } from '../../../domain/audit-log.ts';
import { may, type Permission, type Role } from '../../../domain/operator-roles.ts';
import type { AuditEntryDoc } from '../../schemas/audit-entry.ts';
import type { Models } from '../../schemas/index.ts';
import type { OperatorDoc } from '../../schemas/operator.ts';
import type { ProposalDoc } from '../../schemas/proposal.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';

const name = 'operators: what was approved had two people, who might do it';

/** These need two whatever they are about; of others, how they were done says whether one should not have. */
const alwaysTwo = ['partner.top-up', 'partner.approve-go-live', 'customer.erase'];

/**
 * Whoever proposed and whoever approved were two operators, neither was revoked, and both had a role that
 * allows it, at that time; and there is the proposal. What one did alone that needs two, while approvals
 * were switched off, is no fault and is said for ever.
 */
export const twoPeople: Check = {
  name,
  async run(deps, report) {
    const { models } = deps;
    report.looked(name, 0);
    for await (const partnerId of partnersAndNone(deps)) {
      for await (const entries of pagesOf(entriesOf(models, partnerId))) {
        const people = await peopleOf(models, entries);
        const proposals = await proposalsBehind(models, partnerId, entries);
        for (const entry of entries) {
          if (entry.approvedBy === null) report.alone(entry.at, entry.action !== approvalsOff);
          for (const wrong of wrongAbout(entry, people, proposals)) {
            report.fault(name, `operation ${entry._id} (${entry.action}): ${wrong}`);
          }
        }
        report.looked(name, entries.length);
        await deps.pace();
      }
    }
  },
};

/** Also what belongs to no partner, such as operators; not where the audit is about one partner. */
async function* partnersAndNone(deps: AuditDeps) {
  if (deps.partnerId === undefined) yield null;
  yield* deps.partners();
}

const entriesOf =
  ({ auditEntries }: Models, partnerId: string | null) =>
  (last: AuditEntryDoc | undefined): Promise<AuditEntryDoc[]> =>
    auditEntries
      .find({
        partnerId,
        status: { $ne: 'FAILED' },
        ...(last && { _id: { $gt: last._id } }),
        $or: [
          { approvedBy: { $type: 'string' } },
          { isAlone: true },
          { action: { $in: alwaysTwo }, actorId: /^opr_/ },
        ],
      })
      .sort({ _id: 1 })
      .hint({ partnerId: 1, _id: -1 })
      .limit(pageSize)
      .lean();

/** Who was an operator until when, and in which role. */
interface People {
  operators: Map<string, OperatorDoc>;
  /** Changes of each one's role, the first one first. */
  changes: Map<string, AuditEntryDoc[]>;
}

async function peopleOf(
  { operators, auditEntries }: Models,
  entries: readonly AuditEntryDoc[],
): Promise<People> {
  const approved = entries.filter(({ approvedBy }) => approvedBy !== null);
  const ids = [
    ...new Set(approved.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy ?? ''])),
  ];
  if (ids.length === 0) return { operators: new Map(), changes: new Map() };
  const [all, changes] = await Promise.all([
    operators.find({ _id: { $in: ids } }).lean(),
    auditEntries
      .find({ targetId: { $in: ids }, action: 'operator.change-role', status: 'DONE' })
      .lean<AuditEntryDoc[]>(),
  ]);
  const inOrder = changes.toSorted((one, other) => Number(one.at) - Number(other.at));
  return {
    operators: new Map(all.map((one) => [one._id, one])),
    changes: Map.groupBy(inOrder, ({ targetId }) => targetId ?? ''),
  };
}

/** The role of an operator at a time: what it was changed to before, or from afterwards, else as it is. */
function roleAt({ _id, role }: OperatorDoc, { changes }: People, at: Date): Role {
  const all = changes.get(_id) ?? [];
  const before = all.findLast(({ completedAt }) => completedAt !== null && completedAt <= at);
  return (before?.details.to ?? all[0]?.details.from ?? role) as Role;
}

/** What those who approved have approved, the newest first. */
async function proposalsBehind(
  { proposals }: Models,
  partnerId: string | null,
  entries: readonly AuditEntryDoc[],
): Promise<ProposalDoc[]> {
  const approvers = [...new Set(entries.flatMap(({ approvedBy }) => approvedBy ?? []))];
  if (approvers.length === 0) return [];
  const found = await proposals
    .find({ partnerId, status: 'APPROVED', decidedBy: { $in: approvers } })
    .lean();
  return found.toSorted((one, other) => Number(other.decidedAt) - Number(one.decidedAt));
}

/** @returns what is wrong with who did it, in words */
function wrongAbout(
  { actorId, approvedBy, action, at }: AuditEntryDoc,
  people: People,
  proposals: readonly ProposalDoc[],
): string[] {
  if (approvedBy === null) return [];
  if (approvedBy === actorId) return [`${actorId} approved what they proposed`];
  const proposal = proposals.find(
    (one) =>
      one.action === action &&
      one.proposedBy === actorId &&
      one.decidedBy === approvedBy &&
      one.decidedAt !== null &&
      one.decidedAt <= at,
  );
  if (!proposal) return [`no proposal of ${actorId} was approved by ${approvedBy} before`];
  const decidedAt = proposal.decidedAt ?? at;
  return [actorId, approvedBy].flatMap((id) => {
    const operator = people.operators.get(id);
    if (!operator) return [`${id} is no operator`];
    if (operator.createdAt > decidedAt) return [`${id} was not an operator yet`];
    if (operator.revokedAt !== null && operator.revokedAt < decidedAt) {
      return [`${id} was revoked before`];
    }
    const role = roleAt(operator, people, decidedAt);
    return may(role, action as Permission) ? [] : [`${id} was ${role}, who may not do it`];
  });
}
