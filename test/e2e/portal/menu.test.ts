import test from 'ava';
import { partnerBrowser } from '../../portal/helpers/people.ts';
import { type Stage, startStage } from './helpers/stage.ts';
import { narrow } from './helpers/visitor.ts';

let stage: Stage;
test.before(async (t) => {
  t.timeout(10 * 60_000);
  stage = await startStage();
});
test.after.always(() => stage?.stop());

test('on a narrow screen the menu opens without JavaScript, closes, and shows the current page', async (t) => {
  t.timeout(120_000);
  const { portal, service, browser } = stage;
  const { partnerId } = await service.partner();
  const { cookies } = await partnerBrowser(portal, partnerId, 'viewer');
  const context = await browser.newContext({
    baseURL: portal.url,
    viewport: { width: narrow, height: 700 },
    javaScriptEnabled: false,
  });
  const value = cookies.get('session') ?? '';
  await context.addCookies([{ name: 'session', value, url: portal.url, httpOnly: true }]);
  const page = await context.newPage();
  await page.goto('/home');
  const menu = page.locator('#menu');
  t.false(await menu.isVisible());
  await page.getByRole('button', { name: 'Menu' }).click();
  t.true(await menu.isVisible());
  await page.keyboard.press('Escape');
  t.false(await menu.isVisible());

  await page.getByRole('button', { name: 'Menu' }).click();
  await menu.getByRole('link', { name: 'Orders', exact: true }).click();
  await page.waitForURL('**/orders');
  t.is(await menu.locator('[aria-current="page"]').textContent(), 'Orders');
  const tabs = page.getByRole('navigation', { name: 'Orders' });
  t.is(await tabs.locator('[aria-current="page"]').textContent(), 'Orders');
  await page.goto('/keys');
  const tools = page.getByRole('navigation', { name: 'Developers' });
  t.is(await tools.getByText('Test console').count(), 0, 'a viewer cannot use the test console');
  await context.close();
});
