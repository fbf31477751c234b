import test from 'ava';
import type { Branding } from '../../domain/branding.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { aPurchase } from '../helpers/partner-backend.ts';
import { type Service, startService } from '../helpers/service.ts';
import { Browser, textOf } from './helpers/browser.ts';
import { partnerBrowser } from './helpers/people.ts';
import { portalOf, type SomePortal } from './helpers/portal.ts';

let service: Service;
let portal: SomePortal;
test.before(async () => {
  service = await startService();
  portal = await portalOf(service);
});
test.after.always(() => service?.stop());

const path = '/branding/edit';

/** An owner, and what is stored of how the partner's customers see it. */
async function ownerOf(partner = {}) {
  const { partnerId } = await service.partner({ partner });
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const stored = async () => (await service.models.partners.findById(partnerId).lean())?.branding;
  const save = async (fields: object) => {
    await owner.open(path);
    return await owner.submit(path, fields as Record<string, string>);
  };
  return { partnerId, owner, stored, save };
}

const branding: Branding = {
  ...{ language: 'de', color: '#b3261e', spendText: 'An jeder Kasse.' },
  spendUrl: 'https://books.example/punkte',
};
const website = 'https://www.books.example/';

test('an owner chooses what customers see, and the audit log keeps it', async (t) => {
  const { partnerId, stored, save } = await ownerOf({ website });
  const { html } = await save({ ...branding, color: ' #B3261E ' });
  t.regex(textOf(html), /The branding is saved\..*Language of messages German/);
  t.deepEqual(await stored(), branding);
  const entry = await service.models.auditEntries.findOne({ partnerId, action: 'branding.update' });
  t.like(entry?.details, branding);
});

const wrong: [field: string, value: string, said: RegExp][] = [
  ['language', 'nl', /Choose a language\./],
  ['color', 'red', /A # and six hexadecimal digits/],
  ['color', '#ffe066', /too light/],
  ['spendText', 'Go to evil.example', /looks like a link/],
  ['spendUrl', 'http://books.example/', /begins with https/],
  ['spendUrl', 'https://books.example.evil.example/', /a page of your website/],
  ['spendUrl', 'https://books.example@evil.example/', /a page of your website/],
];
for (const [field, value, said] of wrong) {
  test(`${field} “${value}” is refused, beside the field`, async (t) => {
    const { stored, save } = await ownerOf({ website });
    const { status, html } = await save({ ...branding, [field]: value });
    t.true(status === 400 || status === 422, String(status));
    t.regex(textOf(html), said);
    t.true(html.includes(`id="${field}-error"`));
    t.is(await stored(), undefined);
  });
}

test('the page previews the claim page and the email, in each language', async (t) => {
  const { owner, save } = await ownerOf({ name: 'Books', website });
  await save(branding);
  const { html } = await owner.open('/branding');
  t.regex(textOf(html), /1\.250 Punkte für Ihren Einkauf.*An jeder Kasse\..*Hier können Sie/);
  t.regex(textOf((await owner.open('/branding?language=fr')).html), /1\s250 points vous attendent/);
  t.is((await owner.open('/branding?language=nl')).status, 404);
});

test('the claim page has the partner’s sheet, which holds the colour and its ink and nothing else', async (t) => {
  const shop = await service.partner({ partner: { website, branding } });
  const { body } = await shop.purchase(aPurchase());
  const path = `/claim/${await claimTokenOf(service, body.eventId)}`;
  const customer = new Browser(portal, { accept: 'text/html' });
  const { html } = await customer.open(path);
  t.regex(html, /<p lang="de">An jeder Kasse\.<\/p>/);
  t.notRegex(html, /style=/);
  const [, sheet = ''] = /href="(\/assets\/brand-b3261e\.[0-9a-f]{16}\.css)"/.exec(html) ?? [];
  const served = await customer.open(sheet);
  t.is(served.headers.get('content-type'), 'text/css; charset=utf-8');
  t.is(served.headers.get('x-content-type-options'), 'nosniff');
  t.regex(served.html, /background: #b3261e;\s+color: #ffffff;/);
  await customer.open(path);
  const claimed = await customer.submit(path, {});
  t.regex(claimed.html, /<a href="https:\/\/books\.example\/punkte" rel="noopener noreferrer">/);
  for (const other of [
    sheet.replace('b3261e', 'b3261f'),
    sheet.replace('brand-b3261e', 'brand-'),
  ]) {
    t.is((await customer.open(other)).status, 404, other);
  }
});
