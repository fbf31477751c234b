import test from 'ava';
import { createCommit } from '../../../models/commit.ts';
import { readApprovalsOff } from '../../../models/views/approvals.ts';
import type { OperatorActor } from '../../../operations/actor.ts';
import { execute } from '../../../operations/execute.ts';
import { noteApprovalsOff } from '../../../operations/note-approvals-off.ts';
import { createFirstOperator } from '../../../operations/operators.ts';
import { createPartner } from '../../../operations/partners.ts';
import { topUp } from '../../../operations/wallets.ts';
import { newId } from '../../../platform/ids.ts';
import { asOperator, operate } from '../../helpers/operate.ts';
import { silentMessenger } from '../../helpers/silent-messenger.ts';
import { type AuditDatabase, openAuditDatabase } from './helpers/audit-database.ts';

const name = 'operators: two permitted people took part in every approval';
const dayMs = 24 * 3_600_000;
const daysAgo = (days: number) => new Date(Date.now() - days * dayMs);

let database: AuditDatabase;
test.before(async () => {
  database = await openAuditDatabase();
});
test.after.always(() => database?.close());

/** Creates an operator, ten days ago. */
async function anOperator(role: OperatorActor['role'] = 'admin'): Promise<string> {
  const { models } = database;
  const fields = { name: role, role };
  const { operator: admin } = await operate({ models, now: Date.now }, createFirstOperator, fields);
  await models.operators.updateOne({ _id: admin._id }, { $set: { createdAt: daysAgo(10) } });
  return admin._id;
}

/** A new partner's top-up of two days ago, with its proposal and approval. */
async function approvedTopUp(proposedBy: string, approvedBy: string, decidedBy = approvedBy) {
  const { models } = database;
  const partner = database.partner();
  const { partnerId } = partner;
  const at = daysAgo(2);
  await partner.topUp(1_000, 'LIVE', 'wire-1');
  const entry = { actorId: proposedBy, approvedBy, at, completedAt: at };
  await models.auditEntries.updateOne({ partnerId, action: 'partner.top-up' }, { $set: entry });
  await models.proposals.create({
    _id: newId('proposal'),
    action: 'partner.top-up',
    partnerId,
    targetId: partnerId,
    customerId: null,
    details: {},
    sealedArguments: 'sealed',
    facts: {},
    factsHash: 'hash',
    sameAs: 'same',
    status: 'APPROVED',
    proposedBy,
    proposedAt: at,
    expiresAt: at,
    decidedBy,
    decidedAt: at,
    reason: null,
    carriedOutAt: at,
  });
  const { _id } = await models.auditEntries
    .findOne({ partnerId, action: 'partner.top-up' })
    .orFail();
  /** Audits the partner. @returns the result of the check under test */
  const found = async () => {
    const { checks, alone } = await partner.audit();
    const check = checks.find((one) => one.name === name);
    return { culprits: check?.culprits, lookedAt: check?.lookedAt, alone };
  };
  return { entryId: _id, found };
}

test('two people who were operators at the time are fine, whatever happened to them since', async (t) => {
  const { models } = database;
  const [one, two] = [await anOperator('finance'), await anOperator()];
  const { found } = await approvedTopUp(one, two);
  t.deepEqual(await found(), { culprits: [], lookedAt: 1, alone: null });
  await models.operators.updateOne({ _id: one }, { $set: { revokedAt: daysAgo(1) } });
  await models.operators.updateOne({ _id: two }, { $set: { role: 'viewer' } });
  await models.auditEntries.create({
    _id: newId('audit'),
    actorId: one,
    approvedBy: null,
    requestId: 'req_1',
    once: null,
    action: 'operator.change-role',
    partnerId: null,
    targetId: two,
    status: 'DONE',
    details: { from: 'admin', to: 'viewer' },
    at: daysAgo(1),
    completedAt: daysAgo(1),
  });
  t.deepEqual((await found()).culprits, []);
});

test('the same person twice, or one revoked, demoted, not yet there or unknown, is found and named', async (t) => {
  const { models } = database;
  const right = await anOperator();
  const revoked = await anOperator();
  await models.operators.updateOne({ _id: revoked }, { $set: { revokedAt: daysAgo(3) } });
  const demoted = await anOperator();
  await models.operators.updateOne({ _id: demoted }, { $set: { role: 'viewer' } });
  await models.auditEntries.create({
    _id: newId('audit'),
    actorId: right,
    approvedBy: null,
    requestId: 'req_1',
    once: null,
    action: 'operator.change-role',
    partnerId: null,
    targetId: demoted,
    status: 'DONE',
    details: { from: 'admin', to: 'viewer' },
    at: daysAgo(4),
    completedAt: daysAgo(4),
  });
  const later = await anOperator();
  await models.operators.updateOne({ _id: later }, { $set: { createdAt: daysAgo(1) } });
  const support = await anOperator('support');
  const cases: [string, string, string, RegExp][] = [
    [right, right, right, /approved what they proposed/],
    [right, revoked, revoked, /was revoked before/],
    [revoked, right, right, /was revoked before/],
    [right, demoted, demoted, /was viewer, who may not do it/],
    [right, support, support, /was support, who may not do it/],
    [right, later, later, /was not an operator yet/],
    [right, 'opr_nobody', 'opr_nobody', /opr_nobody is not an operator/],
    [right, support, revoked, /no proposal of .* was approved by/],
  ];
  for (const [proposedBy, approvedBy, decidedBy, what] of cases) {
    const { entryId, found } = await approvedTopUp(proposedBy, approvedBy, decidedBy);
    const { culprits } = await found();
    t.is(culprits?.length, 1, what.source);
    t.regex(culprits?.[0] ?? '', what);
    t.true(culprits?.[0]?.includes(entryId));
  }
});

test('operations done alone while approvals were off are no fault, and are reported for ever', async (t) => {
  const off = await openAuditDatabase();
  t.teardown(() => off.close());
  const { models, hashKey, customerHashKey } = off;
  const limits = { redemptionCents: 100, reviewCents: 100 };
  const depsWith = (isOn: boolean) => ({
    models,
    commit: createCommit({ models, hashKey, now: Date.now }),
    now: Date.now,
    sealer: {} as never,
    messenger: silentMessenger,
    config: { customerHashKey, approvals: { ...limits, isOn } } as never,
  });
  const { _id: partnerId } = await operate(depsWith(false), createPartner, { name: 'Shop' });
  await noteApprovalsOff(depsWith(false));
  t.is(await readApprovalsOff(models), null, 'nothing is reported while no partner is LIVE');
  await models.partners.updateOne({ _id: partnerId }, { $set: { 'goLive.state': 'LIVE' } });
  await noteApprovalsOff(depsWith(true));
  t.is(await readApprovalsOff(models), null, 'nothing is reported while approvals are on');
  await noteApprovalsOff(depsWith(false));
  await noteApprovalsOff(depsWith(false));
  t.is((await readApprovalsOff(models))?.operations, 0);
  t.is(await models.auditEntries.countDocuments({ action: 'approvals.off' }), 1);
  const day = { at: daysAgo(3) };
  await models.auditEntries.updateOne({ action: 'approvals.off' }, { $set: day });

  const ann = { name: 'Ann', role: 'admin' as const };
  const { operator: admin } = await operate({ models, now: Date.now }, createFirstOperator, ann);
  const wire = { partnerId, currency: 'USD', amountCents: 500, externalReference: 'wire 1' };
  await execute(depsWith(false), topUp, asOperator(admin._id), wire);
  const entry = await models.auditEntries.findOne({ partnerId });
  t.like(entry, { action: 'partner.top-up', isAlone: true, approvedBy: null });

  const run = await off.audit();
  t.is(run.faults, 0, run.summary);
  t.is(run.alone?.operations, 1);
  t.true((run.alone?.from.getTime() ?? 0) < daysAgo(2).getTime());
  t.regex(
    run.summary,
    /^Clean.*Approvals were off between [\d-]+ and [\d-]+: 1 operation that needs two operators was carried out by one\./,
  );
  t.is((await readApprovalsOff(models))?.operations, 1);
});
