import test, { type ExecutionContext } from 'ava';
import { eventually } from '../../helpers/eventually.ts';
import { Shop } from '../../helpers/shop.ts';
import { shopifyOrder, shopifyRefund, shopifyRefundLine } from '../../helpers/shop-payloads.ts';
import { shopifyToken } from '../../helpers/shop-platform.ts';
import { textOf } from '../../portal/helpers/browser.ts';
import { sandbox } from '../../portal/helpers/partner-in-review.ts';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { faults } from './helpers/checks.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import type { Visitor } from './helpers/visitor.ts';

/** One flow, in order: an owner connects a shop without a terminal, and its platform sends what it always sends. */
let stage: Stage;
let owner: Visitor;
let shop: Shop;
test.before(async () => {
  stage = await startStage();
  const { partnerId } = await stage.service.partner({ partner: { goLive: sandbox } });
  const { cookies } = await partnerBrowser(stage.portal, partnerId, 'owner');
  owner = await stage.visitor({ session: cookies.get('session') });
});
test.after.always(() => stage?.stop());

const secret = 'made-up-signing-secret';

const checkPage = async (t: ExecutionContext, { page, path }: Visitor) =>
  t.deepEqual(await faults(page), [], path);

/** The connection's page, once it says something. */
const onceItSays = (what: RegExp) =>
  eventually(async () => {
    await owner.page.reload();
    return what.test(textOf(await owner.page.content()));
  }, `the page says ${what}`);

test.serial('from the first page to the page of a new connection', async (t) => {
  await owner.open('/');
  await owner.follow('Developers');
  await owner.follow('Shops');
  await checkPage(t, owner);
  await owner.follow('Connect a shop');
  await checkPage(t, owner);
  await owner.follow('Shopify');
  await checkPage(t, owner);
  await owner.fill({ 'Domain of the shop': 'teapots.myshopify.com', 'Signing secret': secret });
  await owner.press('Connect');
  t.regex(await owner.text(), /Now let the platform send to the address below/);
  await checkPage(t, owner);
  const [, connectionId = ''] =
    /https?:\S+\/connect\/(con_[0-9A-Z]{26})/.exec(await owner.text()) ?? [];
  const { baseUrl } = stage.service;
  shop = new Shop({ baseUrl, connectionId, platform: 'SHOPIFY', secret });
});

test.serial('the first TEST order counts, and its points are explained', async (t) => {
  const sent = await shop.send('orders/paid', shopifyOrder());
  t.is(sent.status, 200, sent.text);
  await onceItSays(/The first order counted Done/);
  await shop.send('refunds/create', shopifyRefund('10.00', [shopifyRefundLine('10.00')]));
  await onceItSays(/The first refund counted Done/);
  await checkPage(t, owner);
  t.true(owner.effort.clicks + owner.effort.fields < 12, JSON.stringify(owner.effort));
  const connection = owner.path;
  await owner.follow('Orders');
  await owner.follow('5001');
  t.regex(textOf(await owner.page.content()), /Goods 49\.90/);
  await owner.open(connection);
});

test.serial('the shop may be asked for what gets lost', async (t) => {
  await owner.page.getByText('Let us ask the shop', { exact: true }).click();
  await owner.fill({ 'Admin API access token': shopifyToken });
  await owner.press('Save the key');
  t.regex(await owner.text(), /Last asked not yet: within an hour/);
  t.notRegex(await owner.text(), /shpat_0123/);
  await checkPage(t, owner);
  t.deepEqual(owner.problems, []);
});
