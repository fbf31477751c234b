import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import test, { type ExecutionContext } from 'ava';
import { runAudit } from '../../../audit/run.ts';
import { createMailer } from '../../../messaging/mailer.ts';
import { erasedLine } from '../../../operations/customers.ts';
import { newId } from '../../../platform/ids.ts';
import { formatMasterKey } from '../../../platform/master-keys.ts';
import { cleanFolder } from '../../../worker/message-folder.ts';
import { startAnotherAdminApi } from '../../helpers/another-api.ts';
import { claimTokenOf } from '../../helpers/claim-token.ts';
import { eventually } from '../../helpers/eventually.ts';
import { compileCache } from '../../helpers/inherited.ts';
import { anotherOperator, auditOf, Operator } from '../../helpers/operator.ts';
import { type OwnService, startOwnService } from '../../helpers/own-service.ts';
import { everythingReadable } from '../../helpers/readable.ts';
import { type Bought, type Town, townOf } from '../../helpers/town.ts';

let service: OwnService;
let town: Town;
let ada: Operator;
let messageDir: string;
let auditFolder: string;
test.before(async () => {
  auditFolder = await mkdtemp(join(tmpdir(), 'audit-log-'));
  service = await startOwnService({ AUDIT_LOG: join(auditFolder, 'audit.log') });
  town = townOf(service);
  ada = town.admin;
  messageDir = await mkdtemp(join(tmpdir(), 'messages-'));
});
test.after.always(async () => {
  await service?.stop();
  for (const folder of [messageDir, auditFolder])
    await rm(folder, { recursive: true, force: true });
});

const jane = { email: 'jane@private.example', phone: '+14155552671' };
const john = { email: 'john@other.example' };
const of = (customer: object) => ({ customer });

/** Texts that identify Jane, each sealed in a different place. */
const traces = {
  email: jane.email,
  phone: jane.phone,
  metadata: 'a note about Jane',
  refund: 'Jane sent it back',
  review: 'Jane is right about it',
  cancellation: 'Jane asked for it',
  proposal: 'Jane is to be believed',
  refused: 'jane-in-a-query',
};

async function customerOf(bought: Bought): Promise<string> {
  return (await town.rewardOf(bought)).customerId;
}

const eraseAs = (by: Operator, customerId: string, reference: string) =>
  by.post(`/customers/${customerId}/erasure`, { reference });
const erase = async (customerId: string, reference = 'request 1') =>
  await eraseAs(ada, customerId, reference);

/** Writes the sent emails to the message folder, as a worker without a mail server does. */
async function fillFolder(): Promise<void> {
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', messageDir });
  for (const mail of service.mails) await send(mail);
}

const tracesIn = async (): Promise<string[]> => {
  const text = await everythingReadable(service, messageDir);
  return Object.entries(traces).flatMap(([name, trace]) => (text.includes(trace) ? [name] : []));
};

async function mailed({ rewardId }: Bought): Promise<void> {
  await eventually(
    async () => service.mails.some(({ id }) => id === rewardId),
    'the email is sent',
  );
}

async function proposeDecision(t: ExecutionContext, reviewId: string): Promise<void> {
  const { config } = service;
  const approvals = { ...config.approvals, isOn: true, reviewCents: 0 };
  const api = await startAnotherAdminApi(service, { config: { ...config, approvals } });
  t.teardown(() => api.stop());
  const decision = { decision: 'DISMISS', reasonCode: 'GOODWILL', reason: traces.proposal };
  const operator = new Operator(api, ada.token);
  const { status } = await operator.post(`/reviews/${reviewId}/decision`, decision);
  t.is(status, 202);
}

test.serial('after an erasure none of the customer’s stored data can be decrypted', async (t) => {
  const shop = await town.partner('LIVE');
  const metadata = { note: traces.metadata };
  const [decided, open, other] = await Promise.all(
    [{ ...of(jane), metadata }, of(jane), of(john)].map(async (purchase) => {
      const bought = await town.funded(shop, purchase);
      await town.claim(bought);
      await mailed(bought);
      return bought;
    }),
  );
  if (!decided || !open || !other) throw new Error('expected three purchases');
  for (const { externalOrderId } of [decided, open]) {
    await shop.refund({ externalOrderId, reason: traces.refund, metadata });
  }
  const reviewId = await town.reviewOf(decided);
  const decision = { decision: 'DISMISS', reasonCode: 'GOODWILL', reason: traces.review };
  t.is((await ada.post(`/reviews/${reviewId}/decision`, decision)).status, 200);
  await proposeDecision(t, await town.reviewOf(open));
  const unclaimed = await town.funded(shop, of(jane));
  await mailed(unclaimed);
  const cancelled = await ada.post(`/rewards/${unclaimed.rewardId}/cancellation`, {
    reason: traces.cancellation,
  });
  t.is(cancelled.status, 200);
  const stranger = shop.changed({ secret: 'another' });
  await stranger.purchase(of(jane), { query: `?who=${traces.refused}` });
  await service.flushed();
  await fillFolder();
  t.deepEqual(await tracesIn(), Object.keys(traces), 'before the erasure, every trace is found');

  const reply = await erase(await customerOf(decided));
  t.is(reply.status, 201);
  t.deepEqual(await tracesIn(), ['email'], 'the worker cleans the message folder later');
  t.is(await cleanFolder(service.models, messageDir), 3);
  t.deepEqual(await tracesIn(), []);
  t.true(
    (await everythingReadable(service, messageDir)).includes(john.email),
    'other customers’ data remains',
  );
  t.is((await readdir(messageDir)).length, 1);

  t.is((await ada.get(`/reviews/${reviewId}`)).body.decision.reason, null);
  t.is((await ada.get(`/rewards/${unclaimed.rewardId}`)).body.cancellation.reason, null);
  t.is(
    (await ada.post(`/reviews/${reviewId}/decision`, decision)).status,
    200,
    'the same decision',
  );
  const [proposal] = (await ada.get('/proposals')).body.items;
  t.is((await ada.get(`/proposals/${proposal.proposalId}`)).body.arguments, null);
  const bob = await anotherOperator(service, 'Bob');
  t.is((await bob.post(`/proposals/${proposal.proposalId}/approval`)).status, 409);
});

test.serial('an erased customer’s claim is still honored, and the ledger is correct', async (t) => {
  const shop = await town.partner('LIVE');
  const bought = await town.funded(shop, of(jane));
  const token = await claimTokenOf(service, bought.eventId);
  const customerId = await customerOf(bought);
  const { body } = await erase(customerId);
  t.like(body, { customerId, partnerId: shop.partnerId, reference: 'request 1' });

  const claim = await service.claim(token);
  t.is(claim.status, 200);
  await service.carriedOut(shop);
  t.like((await ada.get(`/customers/${customerId}`)).body, { points: 499, owedCents: 499 });
  t.is((await town.refund(bought)).body.refund.status, 'ADMIN_REVIEW');
  const decided = await town.decide(await town.reviewOf(bought), 'UPHOLD');
  t.is(
    decided.body.decision.reason,
    'as the shop says',
    'a reason given after the erasure can be read',
  );
  await town.closed(bought);
  t.is((await town.wallet(shop)).fundingCents, 100_000);
  const audit = await runAudit(service, { partnerId: shop.partnerId, patienceMs: 300_000 });
  t.is(audit.faults, 0, JSON.stringify(audit.checks));
});

test.serial(
  'nothing is sent to an erased customer, and no workflow waits to send it',
  async (t) => {
    service.setMailAway(true);
    t.teardown(() => service.setMailAway(false));
    const shop = await town.partner('TEST');
    const bought = await town.funded(shop, of(jane));
    await eventually(async () => service.mailsRefused() > 1, 'the email is retried');
    await erase(await customerOf(bought));
    service.setMailAway(false);
    const workflow = await town.workflowOf(bought);
    await eventually(async () => {
      const { raw } = await workflow.describe();
      return raw.pendingActivities?.length === 0;
    }, 'the workflow no longer sends the email');
    t.false(service.mails.some(({ id }) => id === bought.rewardId));
    t.is(
      (await town.rewardOf(bought)).state,
      'FUNDED',
      'the reward stays claimable until it expires',
    );
  },
);

test('repeating an erasure is the same operation and spares later purchases', async (t) => {
  const shop = await town.partner('TEST');
  const customerId = await customerOf(await town.funded(shop, of(jane)));
  const first = await erase(customerId, 'ticket 7');
  const later = await town.funded(shop, of(jane));
  t.is(await customerOf(later), customerId);
  const again = await erase(customerId, 'ticket 7');
  t.deepEqual([first.status, again.status], [201, 200]);
  t.deepEqual(again.body, first.body);
  t.truthy(await claimTokenOf(service, later.eventId), 'the later purchase is not erased');
  const { auditEntries } = service.models;
  const operations = { partnerId: shop.partnerId, action: 'customer.erase' };
  t.is(await auditEntries.countDocuments(operations), 1);
  const [operation] = await auditOf(service, first);
  t.like(operation, { targetId: customerId, status: 'DONE', details: { reference: 'ticket 7' } });

  t.is((await erase(customerId, 'ticket 8')).status, 201);
  await t.throwsAsync(claimTokenOf(service, later.eventId), { message: /was erased/ });
  t.is(await auditEntries.countDocuments(operations), 2);
});

test('a customer whose only purchase has not started can be erased', async (t) => {
  const shop = await town.partner('TEST');
  const { eventId } = await town.funded(shop, of(jane));
  const { orderEvents } = service.models;
  const template = await orderEvents.findById(eventId).orFail();
  const customerId = 'cus_of_a_purchase_that_waits';
  const _id = newId('event');
  await orderEvents.create({
    ...template,
    _id,
    externalOrderId: _id,
    idempotencyKeyHash: _id,
    rewardId: _id,
    purchaseEventId: _id,
    purchase: { ...template.purchase, customerId },
  });
  t.is((await erase(customerId)).status, 201);
  const erased = await orderEvents.findById(_id).orFail();
  t.is(erased.sealed, null);
});

test('an operator finds a customer by the partner’s data, which leaves an audit entry', async (t) => {
  const shop = await town.partner('TEST');
  const lookUp = (contact: object) =>
    ada.post(`/partners/${shop.partnerId}/customer-lookup`, contact);
  const [byEmail, byPhone] = await Promise.all(
    [jane, { phone: '(415) 555-2671' }].map(async (customer) =>
      customerOf(await town.funded(shop, of(customer))),
    ),
  );
  const found = await lookUp({ email: 'Jane@Private.Example' });
  t.is(found.body.customerId, byEmail);
  t.is((await lookUp({ phone: jane.phone })).body.customerId, byPhone);
  t.like((await auditOf(service, found))[0], { action: 'customer.read', targetId: byEmail });
  for (const contact of [{}, jane, { email: '' }]) t.is((await lookUp(contact)).status, 400);
});

test('after a restore, customers erased according to the log are erased again, up to that time', async (t) => {
  const shop = await town.partner('TEST');
  const bought = await town.funded(shop, of(jane));
  const customerId = await customerOf(bought);
  const { orderEvents, erasures } = service.models;
  const { sealed } = await orderEvents.findById(bought.eventId).orFail();
  const { reference, erasedAt, partnerId } = (await erase(customerId)).body;
  await erasures.deleteMany({ customerId });
  await orderEvents.updateOne({ _id: bought.eventId }, { $set: { sealed } });
  const later = await town.funded(shop, of(jane));
  t.truthy(await claimTokenOf(service, bought.eventId), 'the restored event has it');

  const line = { msg: erasedLine, partnerId, customerId, reference, erasedAt, level: 30 };
  const log = [{ msg: 'API is listening' }, line].map((one) => `api-1  | ${JSON.stringify(one)}`);
  for (const _ of [1, 2]) t.regex(await eraseAgain(log.join('\n')), /^1 erasures repeated/);
  await t.throwsAsync(claimTokenOf(service, bought.eventId), { message: /was erased/ });
  t.truthy(await claimTokenOf(service, later.eventId));
  t.is((await erase(customerId, reference)).body.erasedAt, erasedAt);
});

test('the command of privacy.md and backup.md erases again by the audit log alone, and changes nothing if a line is broken', async (t) => {
  const shop = await town.partner('TEST');
  const bought = await town.funded(shop, of(john));
  const customerId = await customerOf(bought);
  const { orderEvents, erasures } = service.models;
  const { sealed } = await orderEvents.findById(bought.eventId).orFail();
  await erase(customerId, 'letter 9');
  await erasures.deleteMany({ customerId });
  await orderEvents.updateOne({ _id: bought.eventId }, { $set: { sealed } });

  const page = await readFile('docs/operate/privacy.md', 'utf8');
  const command = /^\$ (grep .*)$/m.exec(page)?.[1] ?? '';
  t.regex(command, / audit\/\* \| npm run erase-again$/);
  t.true((await readFile('docs/operate/backup.md', 'utf8')).includes(`\`${command}\``));
  const run = (folder: string) =>
    promisify(execFile)('sh', ['-c', command.replace('audit/*', `${folder}/*`)], {
      env: erasing(),
    });
  const kept = await mkdtemp(join(tmpdir(), 'audit-log-'));
  t.teardown(() => rm(kept, { recursive: true }));
  const whole = await readFile(join(auditFolder, 'audit.log'), 'utf8');
  t.false(whole.includes(john.email));
  // Other tests erase meanwhile.
  const [line = '', ...others] = whole.split('\n').filter((one) => one.includes(customerId));
  t.is(others.length, 0);
  await writeFile(join(kept, 'audit.log'), `${line}\n${line.slice(0, 40)}`);
  await t.throwsAsync(run(kept), { message: /not from the log/ });
  t.truthy(await claimTokenOf(service, bought.eventId));
  await writeFile(join(kept, 'audit.log'), `${line}\n`);
  t.regex((await run(kept)).stdout, /^1 erasures repeated/m);
  await t.throwsAsync(claimTokenOf(service, bought.eventId), { message: /was erased/ });
});

/** The environment of a command on the service's database. */
function erasing() {
  const { config } = service;
  return {
    ...compileCache,
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    MONGODB_URI: config.mongodbUri,
    TEMPORAL_ADDRESS: 'unused',
    MASTER_KEYS: config.masterKeys.map(formatMasterKey).join(),
    CUSTOMER_HASH_KEY: config.customerHashKey.export().toString('base64'),
  };
}

/** Runs the command on the service's database. @returns its output */
function eraseAgain(log: string): Promise<string> {
  const env = erasing();
  return new Promise((resolve, reject) => {
    const child = execFile(process.execPath, ['cli/erase-again.ts'], { env }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
    child.stdin?.end(`${log}\n`);
  });
}
