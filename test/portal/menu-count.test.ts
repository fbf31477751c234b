import test from 'ava';
import { newId } from '../../platform/ids.ts';
import { type Service, startService } from '../helpers/service.ts';
import { fixtures } from './helpers/fixtures.ts';
import { partnerInReview } from './helpers/partner-in-review.ts';
import { operatorBrowser } from './helpers/people.ts';
import { configOf, startPortal, type TestPortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: TestPortal;
/** How many times the portal counted the open reviews. */
let counted = 0;
test.before(async () => {
  service = await startService();
  const reviews = new Proxy(service.models.reviews, {
    get(model, name) {
      if (name === 'countDocuments') counted += 1;
      return Reflect.get(model, name, model);
    },
  });
  portal = await startPortal(service, {
    models: { ...service.models, reviews },
    config: configOf(service, { FOUR_EYES: 'on' }),
  });
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

// The other test counts what the pages of this one read.
test.serial('the menu counts open reviews, proposals and requests for go-live', async (t) => {
  const { partnerId } = await service.partner({ mode: 'LIVE' });
  await storeReview(portal, { partnerId, mark: 'waits' });
  await partnerInReview(service, 'Waiting Shop');
  const ada = await operatorBrowser(portal, 'admin');
  await ada.open(`/admin/partners/${partnerId}/top-up`);
  await ada.submit(`/admin/partners/${partnerId}/top-up`, { amount: '10', reference: 'wire 7' });
  const { html } = await ada.open('/admin');
  for (const name of ['Reviews', 'Approvals', 'Partners']) {
    t.regex(html, new RegExp(`>${name}</a><span class="menu-count">[1-9]\\d*\\+?<`), name);
  }
  t.notRegex(html, />Ledger<\/a><span class="menu-count">/);
});

test('only pages, forms shown again among them, query the menu’s count of open reviews', async (t) => {
  const { partnerId } = await service.partner();
  await storeReview(portal, { partnerId, mark: 'counted' });
  const jobId = await fixtures.export(portal, { partnerId: newId('partner'), mark: 'file' });
  const ada = await operatorBrowser(portal, 'support');
  const count = /<span class="menu-count">\d/;
  const asked = async (ask: () => Promise<{ status: number; html: string }>) => {
    counted = 0;
    return { ...(await ask()), counted };
  };
  const path = `/admin/partners/${partnerId}/view`;
  const page = await asked(() => ada.ask('GET', path));
  t.like(page, { status: 200, counted: 1 });
  t.regex(page.html, count);
  const again = await asked(() => ada.post(path, { reason: '' }));
  t.like(again, { status: 422, counted: 1 });
  t.regex(again.html, count);
  t.like(await asked(() => ada.ask('GET', `/admin/exports/${jobId}/export.csv`)), {
    status: 200,
    counted: 0,
  });
  await ada.open(path);
  t.like(await asked(() => ada.post(path, { reason: 'they called' })), {
    status: 303,
    counted: 0,
  });
});
