import test, { type ExecutionContext } from 'ava';
import { PartnerClient } from '../../../clients/typescript/index.ts';
import { claimLinkIn } from '../../../dev/demo/message-folder.ts';
import type { Mail } from '../../../messaging/message.ts';
import { eventually } from '../../helpers/eventually.ts';
import { faults } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor } from './helpers/visitor.ts';

/** One flow, in order: from a new partner to LIVE, with approval by a second operator. */
let stage: Stage;
/** Proposes; the other operator approves. */
let operator: Visitor;
let approver: Visitor;
let owner: Visitor;
test.before(async () => {
  stage = await startStage({ FOUR_EYES: 'on' });
  operator = await stage.admin();
  approver = await stage.admin();
  owner = await stage.visitor();
  owner.page.on('load', () => screens.add(new URL(owner.page.url()).pathname));
});
test.after.always(() => stage?.stop());

let partnerPath: string;
let tested: PartnerClient;
let live: PartnerClient;

const partnerName = 'Blue Bottle Books';
const email = 'olga@books.example';
const password = 'an owner’s long password';

/** The path of the link in the newest email to an address. */
async function linkTo(to: string): Promise<string> {
  const mail = await eventually<Mail>(
    async () => stage.portal.mails.findLast((one) => one.to === to),
    `an email is sent to ${to}`,
  );
  const [link = ''] = /https?:\S+/.exec(mail.text) ?? [];
  return new URL(link).pathname;
}

/** Checks that the open page is accessible on any screen. */
const checkPage = async (t: ExecutionContext, { page, path }: Visitor) =>
  t.deepEqual(await faults(page), [], path);

/** Checks that the owner's page shows the next step. */
const checkNextStep = async (t: ExecutionContext, step: string) =>
  t.is(await owner.page.locator('.next h2').textContent(), step);

/** The owner's clicks and fields in each step. */
const efforts: { step: string; clicks: number; fields: number }[] = [];

/** The paths of the pages that the owner saw. */
const screens = new Set<string>();

/** A test of one step, which records the owner's clicks and fields. */
function step(title: string, run: (t: ExecutionContext) => Promise<void>): void {
  test.serial(title, async (t) => {
    const before = { ...owner.effort };
    await run(t);
    const clicks = owner.effort.clicks - before.clicks;
    const fields = owner.effort.fields - before.fields;
    efforts.push({ step: title, clicks, fields });
    t.log(`${clicks} clicks, ${fields} fields`);
  });
}

/** A client with the key and the secret on the page, which shows the secret only once. */
async function backendFromPage(): Promise<PartnerClient> {
  const [key = '', secret = ''] = await owner.page.locator('.reveal code').allTextContents();
  return new PartnerClient({ baseUrl: stage.service.baseUrl, key, secret });
}

/** The second operator checks and approves the proposal. */
async function approve(t: ExecutionContext, sentence: RegExp): Promise<void> {
  t.regex(await operator.text(), /Nothing happens until another operator approves it/);
  t.regex(await operator.text(), /Another operator must approve what you proposed/);
  await approver.open('/admin/approvals');
  await approver.follow((await approver.page.getByText(sentence).textContent()) ?? '');
  await checkPage(t, approver);
  await approver.press('Approve and carry out');
  t.regex(await approver.text(), /Approved and carried out/);
}

test.serial('an operator creates a partner, and invites its owner', async (t) => {
  await operator.open('/admin/partners');
  await checkPage(t, operator);
  await operator.follow('New partner');
  await operator.fill({ Name: partnerName });
  await operator.press('Create partner');
  partnerPath = operator.path;
  await operator.fill({ Email: email });
  await operator.press('Invite');
  await approve(t, /^Invite an owner of Blue Bottle Books/);
  await checkPage(t, operator);
});

step('the owner follows the link and joins, with the keyboard only', async (t) => {
  await owner.open(await linkTo(email));
  t.regex(await owner.text(), /Join Blue Bottle Books/);
  t.is(await owner.page.getByLabel('Your name').inputValue(), 'Olga');
  await checkPage(t, owner);
  await owner.type({ Password: password });
  await owner.activate('Join', 'Space');
  t.regex(await owner.text(), /New integration .* Welcome\. You are signed in\./);
  await checkPage(t, owner);
});

step(
  'steps 1 to 4: an integration with a TEST key and a rule, in the currency of the country',
  async (t) => {
    await owner.page.getByLabel('Country').selectOption('Germany');
    owner.effort.fields++;
    await owner.activate('Create integration');
    t.regex(await owner.text(), /Your new TEST key This secret is shown once/);
    tested = await backendFromPage();
    await checkPage(t, owner);
    await checkNextStep(t, 'Send a signed TEST purchase');
  },
);

step('steps 6 and 7: a TEST purchase, with the keyboard only, and its response', async (t) => {
  await owner.activate('Send a TEST purchase', 'Space');
  t.regex(await owner.text(), /201 in \d+ ms .* "points": 49/);
  await owner.page.getByText('The funds cover the reward').waitFor();
  await checkPage(t, owner);
  await checkNextStep(t, 'Send a matching refund');
});

step('steps 8 and 9: its refund, and the verification of both', async (t) => {
  await owner.activate('Refund this purchase');
  t.regex(await owner.text(), /Response 20[01] in \d+ ms .* "status": "CANCELLED"/);
  await checkPage(t, owner);
  await checkNextStep(t, 'Request go-live: complete profile');
});

step('step 10: a complete profile, with the keyboard only', async (t) => {
  await owner.activate('Complete profile');
  await checkPage(t, owner);
  for (const [label, suggested] of [
    ['Legal name', 'Blue Bottle Books'],
    ['Website', 'https://books.example'],
    ['Currency', 'EUR'],
    ['Contact email', email],
    ['Support email', email],
  ] as const) {
    t.is(await owner.page.getByLabel(label, { exact: true }).inputValue(), suggested);
  }
  await owner.activate('Save profile');
  t.regex(await owner.text(), /Profile saved/);
  await checkPage(t, owner);
  await checkNextStep(t, 'Request go-live: LIVE funding');
  t.regex(await owner.text(), /Transfer EUR to .* Use this reference/);
});

step('a top-up, approved by a second operator', async (t) => {
  await operator.open(partnerPath);
  await operator.follow('Top up');
  await checkPage(t, operator);
  await operator.fill({ Amount: '1000', Reference: 'wire 1' });
  await operator.press('Top up');
  await approve(t, /€1,000\.00/);
  await owner.follow('Home');
  await checkPage(t, owner);
  await checkNextStep(t, 'Request go-live');
});

step('go-live is requested with the rule, which requires the second factor', async (t) => {
  t.regex(
    await owner.text(),
    /activates this rule in LIVE, where points cost you real money: 1 point for every €1\.00/,
  );
  await owner.press('Activate in LIVE and request go-live');
  t.regex(await owner.text(), /Set up a second factor/);
  await checkPage(t, owner);
  await owner.enrollSecondFactor(stage.portal.mails);
  t.regex(await owner.text(), /Save these codes/);
  await owner.press('I have saved them');
  t.regex(await owner.text(), /Go-live requested/);
  await checkPage(t, owner);
});

step('it is sent back with notes, and requested again', async (t) => {
  await operator.open(`${partnerPath}/go-live`);
  await checkPage(t, operator);
  await operator.page.getByText('Send back with notes …').click();
  await operator.fill({ 'What needs to change': 'Which shop is this?' });
  await operator.press('Send back');
  await owner.follow('Home');
  t.regex(await owner.text(), /Which shop is this\?/);
  await checkPage(t, owner);
  await checkNextStep(t, 'Request go-live');
  await owner.press('Request go-live');
  t.regex(await owner.text(), /Go-live requested/);
});

test.serial('two operators approve', async (t) => {
  await operator.open(`${partnerPath}/go-live`);
  await operator.page.getByText('Approve …').click();
  await operator.press('Approve');
  await approve(t, /Blue Bottle Books/);
});

step('step 11: a LIVE key on another day, with the second factor at sign-in', async (t) => {
  await owner.context.clearCookies();
  await owner.signIn(email, password);
  t.regex(await owner.text(), /Confirm it’s you .* to sign in/);
  await owner.enterSecondFactor();
  await checkNextStep(t, 'Generate LIVE credentials');
  await checkPage(t, owner);
  await owner.press('Generate LIVE key');
  t.regex(await owner.text(), /Your new LIVE key/);
  live = await backendFromPage();
  await checkPage(t, owner);
});

test.serial('the first LIVE purchase, which its customer claims', async (t) => {
  const { reward } = await live.purchase({
    externalOrderId: 'first',
    customer: { email: 'reader@customers.example' },
    order: { subtotalCents: 4_990, currency: 'EUR' },
  });
  const mail = await eventually<Mail>(
    async () => stage.service.mails.find(({ id }) => id === reward.id),
    'the email to the customer is sent',
  );
  const customer = await stage.visitor({ width: narrow });
  await customer.open(new URL(claimLinkIn(mail.text) ?? '').pathname);
  await customer.press('Claim 49 points');
  t.regex(await customer.text(), /49 points are yours/);
  t.deepEqual(customer.problems, []);
});

test.serial('up to here the owner needed 17 clicks, 6 fields, and pages at 9 addresses', (t) => {
  const sum = (of: 'clicks' | 'fields') => efforts.reduce((all, one) => all + one[of], 0);
  t.deepEqual(
    { clicks: sum('clicks'), fields: sum('fields') },
    owner.effort,
    'the steps add up to the total',
  );
  t.deepEqual(owner.effort, { clicks: 17, fields: 6 });
  t.is(screens.size, 9, [...screens].join(' '));
});

test.serial('Home, the keys and the events show the results, and no secret', async (t) => {
  await owner.open('/home');
  t.regex(
    await owner.text(),
    /Available funding €999\.51 .* Latest events .* first Purchase €49\.90 49/i,
  );
  await checkPage(t, owner);
  await owner.follow('Developers');
  t.notRegex(await owner.text(), /sk_/);
  await owner.open('/events?mode=TEST');
  t.regex(
    await owner.text(),
    /TEST-\w+ Cancelled Refund -€49\.90 -49 .*TEST-\w+ Cancelled Purchase €49\.90 49/,
  );
  await checkPage(t, owner);
  await tested.plans();
});

test.serial('optional step 5: test funding', async (t) => {
  await owner.open('/funding');
  await owner.page.locator('summary', { hasText: 'Add test funding' }).click();
  await owner.fill({ 'Amount in EUR': '100' });
  await owner.press('Add test funding');
  t.regex(await owner.text(), /€100\.00 of test funding added/);
});

test.serial('the browser reported no error on the way', (t) => {
  t.deepEqual(
    [operator, approver, owner].flatMap(({ problems }) => problems),
    [],
  );
});
