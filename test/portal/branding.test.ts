import test from 'ava';
import sharp from 'sharp';
import { type Branding, type Logo, logoPathOf } from '../../domain/branding.ts';
import { customerMail } from '../../messaging/customer-messages.ts';
import { localizerOf } from '../../messaging/words/localizer.ts';
import { aPng } from '../helpers/a-png.ts';
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

/** An owner, with functions that read the stored branding and save changes. */
async function ownerOf(partner = {}) {
  const { partnerId } = await service.partner({ partner });
  const owner = await partnerBrowser(portal, partnerId, 'owner');
  const stored = async () => (await service.models.partners.findById(partnerId))?.branding;
  const save = async (fields: object) => {
    await owner.open('/branding');
    return await owner.submit(path, fields as Record<string, string>);
  };
  return { partnerId, owner, stored, save };
}

const branding: Branding = {
  language: 'de',
  timeZone: 'Europe/Vienna',
  color: '#b3261e',
  spendText: 'An jeder Kasse.',
  spendUrl: 'https://books.example/punkte',
};
const website = 'https://www.books.example/';

test('an owner changes the branding, which is in the audit log', async (t) => {
  const { partnerId, stored, save } = await ownerOf({ website });
  const { html } = await save({ ...branding, color: ' #B3261E ' });
  t.regex(textOf(html), /Branding saved\..*Language of messages German/);
  t.deepEqual(await stored(), branding);
  const entry = await service.models.auditEntries.findOne({ partnerId, action: 'branding.update' });
  t.like(entry?.details, branding);
});

const wrong: [field: string, value: string, said: RegExp][] = [
  ['language', 'nl', /Choose a language\./],
  ['timeZone', 'Mars/Olympus', /Choose a time zone\./],
  ['color', 'red', /Enter a # and six hexadecimal digits/],
  ['color', '#ffe066', /too light/],
  ['spendText', 'Go to evil.example', /looks like a link/],
  ['spendUrl', 'http://books.example/', /begins with https/],
  ['spendUrl', 'https://books.example.evil.example/', /a page of your website/],
  ['spendUrl', 'https://books.example@evil.example/', /a page of your website/],
];
for (const [field, value, said] of wrong) {
  test(`${field} “${value}” is refused next to the field`, async (t) => {
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

test('each email is previewed as sent, in a frame that only our pages can embed', async (t) => {
  const { owner, save } = await ownerOf({ name: 'Books', website });
  await save(branding);
  const { html } = await owner.open('/branding?language=de');
  const folded = html.match(/<details class="more" *><summary>(Email|Reminder)/g) ?? [];
  t.is(folded.length, 4, 'one of the emails is open');
  const frames = [...html.matchAll(/<iframe [^>]*src="([^"]+)" sandbox/g)].map(([, src = '']) =>
    src.replace('&amp;', '&'),
  );
  const said = [
    ...[/1\.250 Punkte sichern/, /Den Link dazu senden wir Ihnen dann/, /noch nicht gesichert/],
    ...[/zurückgenommen/, /berichtigt/],
  ];
  t.is(frames.length, said.length);
  for (const [index, path] of frames.entries()) {
    const mail = await owner.open(path);
    t.is(mail.status, 200);
    t.regex(textOf(mail.html), said[index] as RegExp);
    t.true(mail.html.startsWith('<!doctype html>'));
    t.is(mail.headers.get('x-frame-options'), 'SAMEORIGIN');
    t.regex(
      mail.headers.get('content-security-policy') ?? '',
      /^default-src 'none';.*frame-ancestors 'self';sandbox$/,
    );
  }
  t.regex(textOf((await owner.open(frames[0] as string)).html), /Bis .+ MES?Z sichern/);
  t.regex(textOf(html), /Time zone of your customers Europe\/Vienna/);
  t.is((await owner.open('/branding/email.html?why=NEVER')).status, 404);
});

test('the claim page has the partner’s style sheet, with only its colour and text colour', async (t) => {
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

async function upload(owner: Browser, bytes: Buffer) {
  await owner.open('/branding');
  const file = { name: 'logo.png', bytes: new Uint8Array(bytes) };
  return await owner.follow(await owner.upload('/branding/logo', {}, file));
}

test('a logo is uploaded, shown to customers and in emails, served only as an image, and removed', async (t) => {
  const { partnerId, owner, stored, save } = await ownerOf({
    name: 'Blue "Bottle" Books',
    website,
  });
  await save(branding);
  t.regex(textOf((await upload(owner, await aPng(300, 100))).html), /Logo saved\./);
  const { logo, ...chosen } = (await stored()) ?? {};
  t.deepEqual(chosen, branding);
  t.like(logo, { type: 'png', width: 300, height: 100 });
  const address = logo ? logoPathOf(logo) : '';
  const seen = `<img class="logo" src="${address}" alt="Blue &quot;Bottle&quot; Books" width="200" height="67">`;
  t.is((await owner.open('/branding')).html.split(`src="${address}"`).length - 1, 3);
  t.true(
    (await owner.open('/branding')).html.includes(
      seen.replace('200" height="67', '144" height="48'),
    ),
  );

  const partner = await service.models.partners.findById(partnerId).orFail();
  const offer = {
    localizer: localizerOf('en', 'UTC'),
    reason: 'OFFER' as const,
    link: 'https://p.example/claim/x',
    portalUrl: 'https://p.example',
    currency: 'EUR',
  } as const;
  const reward = {
    ...({ rewardId: 'PNR_x', mode: 'LIVE', points: 1, liabilityCents: 1 } as const),
    externalOrderId: 'A-1001',
    claimExpiresAt: '2026-12-05T14:05:00Z',
  } as const;
  const mail = customerMail(reward, partner, offer, 'a@b.example');
  t.true(
    mail.html.includes(
      `<img class="logo" src="https://p.example${address}" alt="Blue &quot;Bottle&quot; Books" width="144" height="48"`,
    ),
  );
  t.false(mail.text.includes(address));

  const anybody = new Browser(portal);
  const { status, headers } = await anybody.ask('GET', address);
  t.is(status, 200);
  t.is(headers.get('content-type'), 'image/png');
  t.is(headers.get('x-content-type-options'), 'nosniff');
  t.is(headers.get('cache-control'), 'public, max-age=31536000, immutable');
  t.is(headers.get('content-security-policy'), "default-src 'none'; sandbox");
  t.is(headers.get('cross-origin-resource-policy'), 'cross-origin');
  t.deepEqual(headers.getSetCookie(), []);
  const served = Buffer.from(await (await fetch(portal.url + address)).arrayBuffer());
  t.is((await sharp(served).metadata()).width, 300);

  await save({ ...branding, color: '#0b6e4f' });
  t.deepEqual((await stored())?.logo, logo, 'saving the form keeps the logo');
  await owner.open('/branding');
  t.regex(textOf((await owner.submit('/branding/logo/remove')).html), /Logo removed\./);
  t.is((await stored())?.logo, undefined);
  t.is((await anybody.ask('GET', address)).status, 404);
  const actions = await service.models.auditEntries
    .find({ partnerId, action: /^branding\.(set|remove)-logo$/ })
    .sort({ _id: 1 });
  t.true(actions.some(({ details }) => details?.hash === logo?.hash));
});

test('a new logo replaces the previous one; two partners with the same picture have different URLs', async (t) => {
  const [one, other] = [await ownerOf(), await ownerOf()];
  for (const { owner } of [one, other]) await upload(owner, await aPng(300, 100));
  const [first, second] = [(await one.stored())?.logo, (await other.stored())?.logo];
  t.like(await one.stored(), { language: 'en', color: null });
  t.truthy(first && second && first.hash !== second.hash);
  await upload(one.owner, await aPng(10, 10));
  const anybody = new Browser(portal);
  t.is((await anybody.ask('GET', logoPathOf(first as Logo))).status, 404);
  t.is((await anybody.ask('GET', logoPathOf(second as Logo))).status, 200);
  t.is(await service.models.logos.countDocuments({ partnerId: one.partnerId }), 1);
});

test('an invalid or oversized picture is refused next to the form, and nothing is stored', async (t) => {
  const { owner, stored } = await ownerOf();
  const files: [Buffer, RegExp][] = [
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /Choose a PNG or JPEG/],
    [await aPng(1_201, 1), /1201 × 1 pixels/],
    [(await aPng(300, 100)).subarray(0, -30), /damaged or incomplete/],
    [Buffer.concat([await aPng(300, 100), Buffer.alloc(300 * 1024)]), /larger than 256 KiB/],
  ];
  for (const [bytes, said] of files) {
    const { status, html } = await upload(owner, bytes);
    t.true(status === 400 || status === 422, String(status));
    t.regex(textOf(html), said);
    t.regex(textOf(html), /Upload logo/);
  }
  t.is(await stored(), undefined);
});

test('a claim page shows the logo in place of the name', async (t) => {
  const { partnerId, owner, stored } = await ownerOf({ name: 'Corner Shop' });
  await upload(owner, await aPng(300, 100));
  const logo = (await stored())?.logo;
  const shop = await service.partner();
  await service.models.partners.updateOne(
    { _id: shop.partnerId },
    { $set: { branding: { ...branding, logo } } },
  );
  t.not(shop.partnerId, partnerId);
  const { body } = await shop.purchase(aPurchase());
  const claim = `/claim/${await claimTokenOf(service, body.eventId)}`;
  const { html } = await new Browser(portal, { accept: 'text/html' }).open(claim);
  t.regex(
    html,
    /<p class="merchant"><img class="logo" src="\/logos\/[0-9a-f]{32}\.png" alt="Corner Shop" width="216" height="72"><\/p>/,
  );
});
