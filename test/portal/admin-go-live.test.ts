import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { partnerInReview } from './helpers/partner-in-review.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service, { config: configOf(service, { FOUR_EYES: 'on' }) });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

const stateOf = async (partnerId: string) =>
  (await service.models.partners.findById(partnerId).orFail()).goLive.state;

test('a go-live needs two operators, with its evidence in view', async (t) => {
  const { partnerId, path, evidence } = await partnerInReview(service, 'Harbour Coffee');
  const [ada, bob] = await Promise.all([operatorBrowser(portal), operatorBrowser(portal)]);
  const home = await ada.open('/admin');
  t.true(home.html.includes(path), 'the home page lists the request');
  const { html } = await ada.open(path);
  for (const id of evidence) t.regex(html, new RegExp(`href="/admin/[a-z]+/${id}"`));
  t.regex(textOf(html), /Harbour Coffee Ltd .* LIVE funds \$123\.45/);
  for (const id of evidence) {
    const link = new RegExp(`href="(/admin/[a-z]+/${id})"`).exec(html)?.[1] ?? '';
    t.is((await bob.open(link)).status, 200, link);
  }

  await ada.open(path);
  const proposed = await ada.submit(`${path}/approve`);
  t.regex(proposed.path, /^\/admin\/approvals\//);
  t.regex(textOf(proposed.html), /Make Harbour Coffee live/);
  t.is(await stateOf(partnerId), 'IN_REVIEW');
  t.regex(
    html,
    /<details class="confirm ?"><summary>Approve …/,
    'the approval is not styled as dangerous',
  );
  const asked = await bob.open(proposed.path);
  t.regex(asked.html, /<button type="submit" class="primary">Approve and carry out</);
  await bob.submit(`${proposed.path}/approve`, { isChecked: 'on' });
  t.is(await stateOf(partnerId), 'LIVE');
  const partner = await partnerBrowser(portal, partnerId);
  t.regex(textOf((await partner.open('/go-live')).html), /Live/i);
});

test('a go-live is sent back, and the partner reads the notes', async (t) => {
  const { partnerId, path } = await partnerInReview(service, 'Unclear Shop');
  const ada = await operatorBrowser(portal);
  await ada.open(`${path}/return`);
  t.regex(textOf((await ada.submit(`${path}/return`)).html), /Give a reason/);
  const notes = 'Whose address is on the website? <b>It is not yours.</b>';
  await ada.submit(`${path}/return`, { reason: notes });
  t.is(await stateOf(partnerId), 'CHANGES_REQUESTED');
  const partner = await partnerBrowser(portal, partnerId);
  const shown = await partner.open('/go-live');
  t.true(textOf(shown.html).includes(notes));
  t.false(shown.html.includes('<b>It is'));
});

test('a missing item is named, and the request cannot be approved', async (t) => {
  const { partnerId, path } = await partnerInReview(service, 'Half Shop');
  await service.models.partners.updateOne({ _id: partnerId }, { $set: { website: null } });
  const ada = await operatorBrowser(portal);
  const { html } = await ada.open(path);
  t.regex(textOf(html), /Missing Fill in: Website\./);
  t.false(html.includes(`${path}/approve`));
  const viewer = await operatorBrowser(portal, 'viewer');
  t.notRegex((await viewer.open(path)).html, /\/approve"|\/return"/);
});

test('a partner is suspended and resumed', async (t) => {
  const { partnerId } = await service.partner();
  const path = `/admin/partners/${partnerId}`;
  const ada = await operatorBrowser(portal);
  const statusOf = async () => (await service.models.partners.findById(partnerId).orFail()).status;
  await ada.open(path);
  t.regex(textOf((await ada.submit(`${path}/suspend`)).html), /Partner suspended/);
  t.is(await statusOf(), 'SUSPENDED');
  t.regex(textOf((await ada.submit(`${path}/resume`)).html), /active again/);
  t.is(await statusOf(), 'ACTIVE');
});
