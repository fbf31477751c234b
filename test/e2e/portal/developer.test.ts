import { randomUUID } from 'node:crypto';
import test from 'ava';
import { eventually } from '../../helpers/eventually.ts';
import { rightClient, signatureOf } from '../../helpers/wrong-clients.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { axe, hasNextStep, sidewaysScroll } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow, type Visitor, wide } from './helpers/visitor.ts';

let stage: Stage;
let visitors: Visitor[];
/** The paths of a developer's main pages, with data on each. */
let paths: string[];

test.before(async () => {
  stage = await startStage();
  const { service, portal } = stage;
  const partner = await service.partner();
  const session = (await partnerBrowser(portal, partner.partnerId, 'developer')).cookies.get(
    'session',
  );
  visitors = await Promise.all(
    [narrow, wide].flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) =>
        stage.visitor({ width, colorScheme, session }),
      ),
    ),
  );
  const nowSeconds = Date.now() / 1_000;
  const right = rightClient({ ...partner, body: '{"a":1}', nowSeconds });
  const client = { ...right, signedPath: `${right.path}/` };
  const refused = await fetch(service.baseUrl + client.path, {
    method: 'POST',
    body: client.body,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
      'x-partner-key': client.key,
      'x-partner-timestamp': client.timestamp,
      'x-partner-signature': signatureOf(client).signature,
    },
  });
  await service.flushed();
  const { body } = await partner.purchase();
  await eventually(
    async () => (await service.models.rewards.findById(body.reward.id))?.state === 'FUNDED',
    'the reward is funded',
  );
  paths = [
    ...['/doctor', `/doctor/${partner.credentialId}`, `/doctor/${partner.credentialId}/paste`],
    `/doctor/requests/${refused.headers.get('x-request-id')}`,
    ...['/console', '/console?type=refund&as=json', `/orders/${body.reward.id}`],
    ...['/quickstarts', '/quickstarts?language=java'],
  ];
});
test.after.always(() => stage?.stop());

/** Code that is covered by its copy button. */
const coveredCode = async ({ page }: Visitor): Promise<string[]> =>
  await page.evaluate(`[...document.querySelectorAll('.code-block')]
    .filter((block) => {
      const button = block.querySelector('.copy').getBoundingClientRect();
      const range = document.createRange();
      range.selectNodeContents(block.querySelector('code'));
      return [...range.getClientRects()].some((line) =>
        line.right > button.left && line.left < button.right && line.bottom > button.top && line.top < button.bottom);
    })
    .map((block) => block.innerText.slice(0, 60))`);

test.serial('a developer’s pages are accessible on every screen', async (t) => {
  for (const visitor of visitors) {
    for (const path of paths) {
      t.is(await visitor.open(path), 200, path);
      t.is(await sidewaysScroll(visitor.page), null, path);
      t.deepEqual(await axe(visitor.page), [], path);
      t.true(await hasNextStep(visitor.page), path);
    }
    t.deepEqual(visitor.problems, []);
  }
});

test.serial('a test purchase is previewed, sent, followed, and claimed at once', async (t) => {
  for (const visitor of [visitors[0], visitors[3]]) {
    if (!visitor) return t.fail();
    await visitor.open('/console');
    await visitor.press('Preview');
    t.regex(await visitor.text(), /Canonical string/);
    t.is(await sidewaysScroll(visitor.page), null);
    await visitor.press('Sign and send');
    t.regex(await visitor.text(), /201 in \d+ ms/);
    await visitor.page.getByText('The funds cover the reward').waitFor();
    t.deepEqual(await coveredCode(visitor), []);
    t.deepEqual(await axe(visitor.page), []);
    t.is(await sidewaysScroll(visitor.page), null);
    await visitor.press('Claim now');
    t.regex(await visitor.text(), /The customer claimed the reward/);
    t.deepEqual(visitor.problems, []);
  }
});

test.serial(
  'a wrong signature is diagnosed: the differing line, the cause, and the fix',
  async (t) => {
    const [, visitor] = visitors;
    if (!visitor) return t.fail();
    await visitor.open('/doctor?mode=TEST');
    await visitor.page.locator('main tbody a').first().click();
    await visitor.page.getByRole('heading', { name: 'Refused with the TEST key' }).waitFor();
    t.regex(
      await visitor.text(),
      /The signature does not match the request\. POST \/api\/v1\/partner\/purchases/,
    );
    await visitor.page.locator('main tbody a').first().click();
    await visitor.page.getByRole('heading', { name: 'Why it was refused' }).waitFor();
    t.regex(await visitor.text(), /slash at the end/);
    const differing = visitor.page.locator('.line-differs');
    t.is(await differing.count(), 1);
    t.regex(
      (await differing.textContent()) ?? '',
      /3\. .*differs\s+ours\s+\/api\/v1\/partner\/purchases\s*yours\s+\/api\/v1\/partner\/purchases\/$/i,
    );

    await visitor.follow('All refused requests');
    await visitor.follow('Paste what you signed');
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const lines = ['v1', 'post', '/api/v1/partner/purchases', timestamp, 'a'.repeat(64)];
    await visitor.fill({
      'The string you sign': lines.join('\n'),
      'Timestamp header': timestamp,
    });
    await visitor.press('Compare');
    t.regex(await visitor.text(), /What we found .*METHOD .*2\. method differs/);
    t.deepEqual(visitor.problems, []);
  },
);

test.serial(
  'the reference renders under its own policy, with our files only, and is searched while typing',
  async (t) => {
    const [visitor] = visitors.slice(-1);
    if (!visitor) return t.fail();
    await visitor.open('/reference');
    await visitor.page.getByRole('heading', { name: 'Report a purchase' }).waitFor();
    t.is(await sidewaysScroll(visitor.page), null);
    const search = visitor.page.getByRole('searchbox', { name: 'Search the reference' });
    const shown = visitor.page.locator('article:visible');
    const all = await shown.count();
    await search.pressSequentially('Capture HELD');
    await visitor.page
      .getByRole('heading', { name: 'Report a purchase' })
      .waitFor({ state: 'hidden' });
    const found = await shown.count();
    t.true(found > 0 && found < all);
    t.is(await visitor.page.locator('.contents li:visible').count(), found);
    await search.fill('');
    await visitor.page.getByRole('heading', { name: 'Report a purchase' }).waitFor();
    t.is(await shown.count(), all);
    t.deepEqual(visitor.problems, []);
  },
);
