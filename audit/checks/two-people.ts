import {
  introductionActions,
  introductionsIn,
  isFreshIntroduction,
} from '../../domain/introductions.ts';
import { approvalsOff, may, type Permission, type Role } from '../../domain/operators.ts';
import type { AuditEntryDoc, ProposalDoc } from '../../models/schemas/audit.ts';
import type { Models } from '../../models/schemas/index.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import type { AuditDeps, Check } from '../audit.ts';
import { pageSize, pagesOf } from '../pages.ts';

const name = 'operators: two permitted people took part in every approval';

/** Operations that always need two operators. For others, the audit entry records whether they did. */
const alwaysTwo = [
  'partner.top-up',
  'partner.withdraw',
  'partner.correct-top-up',
  'invoice.record-payment',
  'invoice.reverse-payment',
  'invoice.void',
  'partner.approve-go-live',
  'customer.erase',
];

/**
 * The proposer and the approver were two operators who were not revoked and had a role that permits
 * the operation at that time, and the proposal exists. What one operator did alone while approvals
 * were switched off is not a fault, but is reported permanently.
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
        const refused = await refusedOf(models, partnerId, entries);
        for (const entry of entries) {
          if (entry.approvedBy === null) report.alone(entry.at, entry.action !== approvalsOff);
          for (const wrong of await wrongAbout(models, entry, people, proposals, refused)) {
            report.fault(name, `operation ${entry._id} (${entry.action}): ${wrong}`);
          }
        }
        report.looked(name, entries.length);
        await deps.pace();
      }
    }
  },
};

/** Includes what belongs to no partner, such as operators, unless one partner is audited. */
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
      .limit(pageSize);

/** The operators, their revocations and their roles. */
interface People {
  operators: Map<string, OperatorDoc>;
  /** The changes of each operator's role, oldest first. */
  changes: Map<string, AuditEntryDoc[]>;
  /** What let each operator in, and who confirmed them. */
  introduced: Map<string, AuditEntryDoc[]>;
}

async function peopleOf(
  { operators, auditEntries }: Models,
  entries: readonly AuditEntryDoc[],
): Promise<People> {
  const approved = entries.filter(({ approvedBy }) => approvedBy !== null);
  const ids = [
    ...new Set(approved.flatMap(({ actorId, approvedBy }) => [actorId, approvedBy ?? ''])),
  ];
  if (ids.length === 0) {
    return { operators: new Map(), changes: new Map(), introduced: new Map() };
  }
  const [all, changes, introductions] = await Promise.all([
    operators.find({ _id: { $in: ids } }),
    auditEntries.find({ targetId: { $in: ids }, action: 'operator.change-role', status: 'DONE' }),
    // Of everybody, since an introducer was introduced by others.
    auditEntries.find({ partnerId: null, action: { $in: introductionActions }, status: 'DONE' }),
  ]);
  const inOrder = changes.toSorted((one, other) => Number(one.at) - Number(other.at));
  return {
    operators: new Map(all.map((one) => [one._id, one])),
    changes: Map.groupBy(inOrder, ({ targetId }) => targetId ?? ''),
    introduced: Map.groupBy(introductions, ({ targetId }) => targetId ?? ''),
  };
}

/**
 * The role of an operator at a given time: from the change before it or after it, otherwise the
 * current one.
 */
function roleAt({ _id, role }: OperatorDoc, { changes }: People, at: Date): Role {
  const all = changes.get(_id) ?? [];
  const before = all.findLast(({ completedAt }) => completedAt !== null && completedAt <= at);
  return (before?.details.to ?? all[0]?.details.from ?? role) as Role;
}

/** The proposals behind some approvals, newest first. */
async function proposalsBehind(
  { proposals }: Models,
  partnerId: string | null,
  entries: readonly AuditEntryDoc[],
): Promise<ProposalDoc[]> {
  const approvers = [...new Set(entries.flatMap(({ approvedBy }) => approvedBy ?? []))];
  if (approvers.length === 0) return [];
  const found = await proposals.find({
    partnerId,
    status: 'APPROVED',
    decidedBy: { $in: approvers },
  });
  return found.toSorted((one, other) => Number(other.decidedAt) - Number(one.decidedAt));
}

/** An operator at a given time, whoever introduced them, whoever introduced those, and so on. */
function introducersAt(operatorId: string, { introduced }: People, at: Date): Set<string> {
  const known = new Set([operatorId]);
  // A set is walked to its end, also over what is added meanwhile.
  for (const id of known) {
    const before = (introduced.get(id) ?? []).filter((entry) => entry.at < at);
    for (const one of introductionsIn(before)) {
      if (isFreshIntroduction(one, Number(at))) known.add(one.by);
    }
  }
  return known;
}

/** Approved operations that were refused: nothing may carry them out afterwards. */
async function refusedOf(
  { auditEntries }: Models,
  partnerId: string | null,
  entries: readonly AuditEntryDoc[],
): Promise<AuditEntryDoc[]> {
  const approvers = [...new Set(entries.flatMap(({ approvedBy }) => approvedBy ?? []))];
  if (approvers.length === 0) return [];
  return await auditEntries.find({ partnerId, status: 'FAILED', approvedBy: { $in: approvers } });
}

/** The fields that go-live was approved with, and somebody changed before it was carried out. */
async function changedBefore(
  { auditEntries }: Models,
  { partnerId, at, completedAt }: AuditEntryDoc,
  { proposedAt, shown }: ProposalDoc,
): Promise<string[]> {
  const between = { $gt: proposedAt, $lt: completedAt ?? at };
  const updates = await auditEntries.find({
    partnerId,
    action: 'partner.update',
    status: 'DONE',
    completedAt: between,
  });
  const names = updates.flatMap(({ details }) =>
    Object.keys(details).filter((field) => field in shown && shown[field] !== details[field]),
  );
  return [...new Set(names)];
}

/** @returns the problem with who did it, as a sentence */
async function wrongAbout(
  models: Models,
  entry: AuditEntryDoc,
  people: People,
  proposals: readonly ProposalDoc[],
  refused: readonly AuditEntryDoc[],
): Promise<string[]> {
  const { actorId, approvedBy, action, at, targetId } = entry;
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
  const wasRefused = refused.some(
    (one) =>
      one.action === action &&
      one.actorId === actorId &&
      one.approvedBy === approvedBy &&
      one.targetId === targetId &&
      one.at >= decidedAt &&
      one.at < at,
  );
  const introducers = introducersAt(actorId, people, decidedAt);
  const common = [...introducersAt(approvedBy, people, decidedAt)].find((id) =>
    introducers.has(id),
  );
  const changed =
    action === 'partner.approve-go-live' ? await changedBefore(models, entry, proposal) : [];
  const wrong = [
    ...(wasRefused ? ['it was refused once, and carried out later'] : []),
    ...(common ? [`${common} had let in ${actorId}, ${approvedBy} or both`] : []),
    ...(changed.length > 0 ? [`${changed.join(', ')} changed between proposal and approval`] : []),
  ];
  if (wrong.length > 0) return wrong;
  return [actorId, approvedBy].flatMap((id) => {
    const operator = people.operators.get(id);
    if (!operator) return [`${id} is not an operator`];
    if (operator.createdAt > decidedAt) return [`${id} was not an operator yet`];
    if (operator.revokedAt !== null && operator.revokedAt < decidedAt) {
      return [`${id} was revoked before`];
    }
    const role = roleAt(operator, people, decidedAt);
    return may(role, action as Permission) ? [] : [`${id} was ${role}, who may not do it`];
  });
}
