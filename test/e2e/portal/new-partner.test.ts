import test, { type ExecutionContext } from 'ava';
import { PartnerClient } from '../../../clients/typescript/index.ts';
import { claimLinkIn } from '../../../dev/demo/outbox.ts';
import type { Mail } from '../../../messaging/message.ts';
import { eventually } from '../../helpers/eventually.ts';
import { faults } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor } from './helpers/visitor.ts';

/** One story, told in order: how a partner comes to be live, where two operators decide. */
let stage: Stage;
/** Who proposes, and who approves. */
let operator: Visitor;
let approver: Visitor;
let owner: Visitor;
test.before(async () => {
  stage = await startStage({ FOUR_EYES: 'on' });
  operator = await stage.admin();
  approver = await stage.admin();
  owner = await stage.visitor();
});
test.after.always(() => stage?.stop());

let partnerPath: string;
let integrationPath: string;
let rulePath: string;
let tested: PartnerClient;
let live: PartnerClient;

const partnerName = 'Blue Bottle Books';
const email = 'olga@books.example';
const password = 'an owner’s long password';

/** The path of the link in the newest mail to somebody. */
async function linkTo(to: string): Promise<string> {
  const mail = await eventually<Mail>(
    async () => stage.portal.mails.findLast((one) => one.to === to),
    `a mail to ${to}`,
  );
  const [link = ''] = /https?:\S+/.exec(mail.text) ?? [];
  return new URL(link).pathname;
}

/** The page before somebody can be read by everybody, on any screen. */
const looksWell = async (t: ExecutionContext, { page, path }: Visitor) =>
  t.deepEqual(await faults(page), [], path);

/** What the set-up list says is to be done next. */
async function nextStep(): Promise<string> {
  await owner.open('/home');
  return (await owner.page.locator('.next h2').textContent()) ?? '';
}

/** Waits for what follows from a request to reach the set-up list. */
const untilNext = (step: string): Promise<unknown> =>
  eventually(async () => (await nextStep()).startsWith(step), step);

/** A back end with the key and the secret that the page shows, this once. */
async function backendFromPage(): Promise<PartnerClient> {
  const [key = '', secret = ''] = await owner.page.locator('.reveal code').allTextContents();
  return new PartnerClient({ baseUrl: stage.service.baseUrl, key, secret });
}

/** The second operator looks at what was proposed, and has it done. */
async function approve(t: ExecutionContext, sentence: RegExp): Promise<void> {
  t.regex(await operator.text(), /Nothing happens before another operator approves it/);
  t.regex(await operator.text(), /Another operator must approve what you proposed/);
  await approver.open('/admin/approvals');
  await approver.follow((await approver.page.getByText(sentence).textContent()) ?? '');
  await looksWell(t, approver);
  await approver.page.getByLabel('I have checked it').check();
  await approver.press('Approve and carry out');
  t.regex(await approver.text(), /Approved and carried out/);
}

test.serial('an operator makes a partner, and invites its owner', async (t) => {
  await operator.open('/admin/partners');
  await looksWell(t, operator);
  await operator.follow('New partner');
  await operator.fill({ Name: partnerName });
  await operator.press('Create partner');
  partnerPath = operator.path;
  await operator.fill({ Email: email });
  await operator.press('Invite');
  await approve(t, /^Invite an owner of Blue Bottle Books/);
  await looksWell(t, operator);
});

test.serial('the owner follows the link and joins, with the keyboard alone', async (t) => {
  await owner.open(await linkTo(email));
  t.regex(await owner.text(), /Join Blue Bottle Books/);
  await looksWell(t, owner);
  await owner.type({ 'Your name': 'Olga', Password: password });
  await owner.strike('Join', 'Space');
  t.regex(await owner.text(), /Blue Bottle Books .* Welcome\. You are signed in\./);
  await looksWell(t, owner);
});

test.serial('step 1: an integration, with the keyboard alone', async (t) => {
  t.is(await nextStep(), 'Create an integration');
  await owner.skipToContent();
  await owner.strike('Create an integration');
  await owner.type({ Name: 'Web shop' });
  await owner.enter();
  t.regex(await owner.text(), /Web shop created/);
  integrationPath = owner.path;
  await looksWell(t, owner);
});

test.serial('steps 2 and 3: a TEST key, whose secret is shown once and stored', async (t) => {
  t.is(await nextStep(), 'Generate a TEST API key');
  await owner.skipToContent();
  await owner.strike('Generate a TEST key');
  await owner.skipToContent();
  await owner.strike('Generate the TEST key', 'Space');
  t.regex(await owner.text(), /This secret is shown once/);
  tested = await backendFromPage();
  await looksWell(t, owner);
  await owner.open('/keys');
  t.notRegex(await owner.text(), /sk_/);
  t.is(await nextStep(), 'Store the raw secret securely');
  await tested.plans();
  await untilNext('Create an earning rule');
});

test.serial('step 4: an earning rule, with the keyboard alone', async (t) => {
  await owner.skipToContent();
  await owner.strike('Create a rule');
  await owner.skipToContent();
  await owner.strike('New TEST rule');
  await owner.type({ Points: '10' });
  await owner.strike('Save draft');
  rulePath = owner.path;
  await looksWell(t, owner);
  await owner.skipToContent();
  await owner.strike('Activate');
  await looksWell(t, owner);
  await owner.skipToContent();
  await owner.strike('Activate in TEST');
  t.regex(await owner.text(), /The rule is active in TEST/);
});

test.serial('step 5: test funding', async (t) => {
  await owner.open(integrationPath);
  await owner.follow('Add test funding');
  await owner.fill({ 'Amount in USD': '100' });
  await owner.press('Add test funding');
  t.regex(await owner.text(), /\$100\.00 of test funding is added/);
});

test.serial('step 6: a TEST purchase in the test console, with the keyboard alone', async (t) => {
  t.is(await nextStep(), 'Send a signed TEST purchase');
  await owner.skipToContent();
  await owner.strike('Open the test console');
  await owner.skipToContent();
  await owner.type({ 'Your order id': 'first' });
  await owner.strike('Sign and send', 'Space');
  t.regex(await owner.text(), /201 in \d+ ms .* "points": 499/);
  await owner.page.getByText('It is funded.').waitFor();
  await looksWell(t, owner);
});

test.serial('steps 7 to 9: its answer, its refund, and the proof of both', async (t) => {
  await untilNext('Send a matching refund');
  await looksWell(t, owner);
  const { refund } = await tested.refund({ externalOrderId: 'first' });
  t.is(refund.status, 'CANCELLED');
  await untilNext('Request go-live');
  await owner.follow('Events');
  t.regex(await owner.text(), /Refund first – .* 201 .* Purchase first .* 201/);
  await looksWell(t, owner);
});

test.serial('step 10: a complete profile, with the keyboard alone', async (t) => {
  t.is(await nextStep(), 'Request go-live: complete profile');
  await owner.skipToContent();
  await owner.strike('Complete the profile');
  await owner.skipToContent();
  await owner.type({
    ...{ 'Legal name': 'Blue Bottle Books Ltd', Website: 'https://books.example' },
    ...{ 'Contact email': email, 'Support email': 'help@books.example' },
  });
  await owner.enter();
  t.regex(await owner.text(), /Complete for go-live/);
  await looksWell(t, owner);
});

test.serial('a rule promoted to LIVE, which asks for the second factor', async (t) => {
  t.regex(await nextStep(), /LIVE earning rule/);
  await owner.open(rulePath);
  await owner.follow('Promote to LIVE');
  t.regex(await owner.text(), /Set up the second factor/);
  await looksWell(t, owner);
  await owner.enrollSecondFactor(stage.portal.mails);
  t.regex(await owner.text(), /Keep these codes/);
  await owner.follow('I have kept them');
  await looksWell(t, owner);
  await owner.press('Promote to LIVE');
  t.regex(await owner.text(), /The rule is active in LIVE/);
});

test.serial('and funds, which two operators let in', async (t) => {
  t.regex(await nextStep(), /LIVE funding/);
  await operator.open(partnerPath);
  await operator.follow('Top up');
  await looksWell(t, operator);
  await operator.fill({ Amount: '1000', Reference: 'wire 1' });
  await operator.press('Top up');
  await approve(t, /\$1,000\.00/);
  await owner.open('/funding');
  t.regex(await owner.text(), /Free funding \$1,000\.00/i);
  await looksWell(t, owner);
});

test.serial('go-live is requested, and sent back with notes', async (t) => {
  await requestGoLive(t);
  await looksWell(t, owner);
  await operator.open(`${partnerPath}/go-live`);
  await looksWell(t, operator);
  await operator.follow('Send back with notes');
  await operator.fill({ 'What needs to change': 'Which shop is this?' });
  await operator.press('Send back');
  await owner.open('/go-live');
  t.regex(await owner.text(), /Which shop is this\?/);
  await looksWell(t, owner);
});

test.serial('it is requested again, and two operators approve', async (t) => {
  await requestGoLive(t);
  await operator.open(`${partnerPath}/go-live`);
  await operator.page.getByText('Approve …').click();
  await operator.press('Approve');
  await approve(t, /Blue Bottle Books/);
  t.is(await nextStep(), 'Generate LIVE credentials');
});

async function requestGoLive(t: ExecutionContext): Promise<void> {
  await owner.open('/go-live');
  await owner.follow('Request go-live');
  await owner.press('Request go-live');
  t.regex(await owner.text(), /Go-live is requested/);
}

test.serial('step 11: a LIVE key, for who gave the second factor at sign-in', async (t) => {
  await owner.press('Sign out');
  await owner.signIn(email, password);
  t.regex(await owner.text(), /Confirm it’s you .* to sign in/);
  await owner.giveSecondFactor();
  await owner.follow('Generate a LIVE key');
  await owner.press('Generate the LIVE key');
  t.regex(await owner.text(), /Your new LIVE key/);
  live = await backendFromPage();
});

test.serial('the first LIVE purchase, which its customer claims', async (t) => {
  const { reward } = await live.purchase({
    externalOrderId: 'first',
    customer: { email: 'reader@customers.example' },
    order: { subtotalCents: 4_990 },
  });
  const mail = await eventually<Mail>(
    async () => stage.service.mails.find(({ id }) => id === reward.id),
    'the customer’s mail',
  );
  const customer = await stage.visitor({ width: narrow });
  await customer.open(new URL(claimLinkIn(mail.text) ?? '').pathname);
  await customer.press('Claim 499 points');
  t.regex(await customer.text(), /499 points are yours/);
  await owner.open('/home');
  t.regex(await owner.text(), /Free funding \$995\.01 .* Latest events .* first \$49\.90 499/i);
  await looksWell(t, owner);
  t.deepEqual(customer.problems, []);
});

test.serial('nothing went wrong in a browser on the way', (t) => {
  t.deepEqual(
    [operator, approver, owner].flatMap(({ problems }) => problems),
    [],
  );
});
