import test from 'ava';
import type { Logo } from '../../domain/branding.ts';
import { languages } from '../../domain/languages.ts';
import { customerMail, pointsMail } from '../../messaging/customer-messages.ts';
import { bodiesOf, type MailContent } from '../../messaging/mailer.ts';
import { noticeMail } from '../../messaging/notice-mail.ts';
import {
  accountChangeMail,
  factorResetMail,
  invitationMail,
  signInMail,
} from '../../messaging/portal-mails.ts';
import { localizerOf } from '../../messaging/words/localizer.ts';

const content: MailContent = {
  sender: 'Corner Shop',
  subject: 'Points',
  paragraphs: ['One.', 'Two.'],
  link: { text: 'Claim your points', url: 'https://portal.example/claim/abc' },
  notes: ['Keep it.'],
  more: [{ text: 'Choose your notices', url: 'https://portal.example/account/notices' }],
};

test('the plain text matches the HTML, in the same order', (t) => {
  const { text, html } = bodiesOf(content);
  t.is(
    text,
    'One.\n\nTwo.\n\nClaim your points:\nhttps://portal.example/claim/abc\n\nKeep it.\n\nChoose your notices: https://portal.example/account/notices\n\n',
  );
  const texts = ['Corner Shop', 'One.', 'Two.', 'Claim your points', '/claim/abc', 'Keep it.'];
  const places = texts.map((one) => html.lastIndexOf(one));
  t.true(places.every((place) => place > 0));
  t.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('other people’s text is escaped in the HTML, also in an address', (t) => {
  const hostile = `"><img src=x onerror=alert(1)>`;
  const { html } = bodiesOf({
    sender: hostile,
    subject: hostile,
    paragraphs: [hostile],
    notes: [hostile],
    link: { text: hostile, url: `https://a.example/${hostile}` },
    more: [{ text: hostile, url: hostile }],
  });
  t.false(html.includes('<img'));
  t.is(html.split('&lt;img src=x').length - 1, 9);
});

const portalUrl = 'https://portal.example';
const access = { token: 'tkn', linkEndsAt: new Date(0) };
const logo: Logo = { hash: 'a'.repeat(32), type: 'png', width: 900, height: 120 };
const partner = {
  name: 'Blue “Bottle” Books',
  website: 'https://books.example',
  country: 'DE',
  supportEmail: 'help@books.example',
  contactEmail: 'help@books.example',
  branding: {
    language: 'de' as const,
    timeZone: null,
    color: '#0b6e4f',
    logo,
    spendText: 'x'.repeat(200),
    spendUrl: `https://books.example/${'x'.repeat(470)}`,
  },
};
const reward = {
  ...({ rewardId: 'PNR_1', mode: 'LIVE', points: 1_000_000, liabilityCents: 1_000_000 } as const),
  claimExpiresAt: '2026-12-05T14:05:00Z',
};
const customersMails = languages.flatMap((language) => {
  const localizer = localizerOf(language, 'Europe/Berlin');
  const link = `${portalUrl}/claim/${'x'.repeat(43)}`;
  return [
    ...(['OFFER', 'REMINDER', 'TAKEN_BACK'] as const).map((reason) =>
      customerMail(
        reward,
        partner,
        { localizer, reason, link, portalUrl, currency: 'EUR' },
        'a@b.example',
      ),
    ),
    pointsMail(
      partner,
      { mode: 'LIVE', localizer, link, portalUrl, endsAt: new Date(0) },
      'a@b.example',
    ),
  ].map((mail) => ({ ...mail, language }));
});
const ourMails = [
  signInMail(portalUrl, 'a@b.example', access),
  invitationMail(portalUrl, { to: 'a@b.example', partnerName: 'Shop', role: 'owner' }, access),
  factorResetMail(portalUrl, 'a@b.example', { userId: 'usr_1', at: 0 }),
  accountChangeMail(portalUrl, 'a@b.example', { userId: 'usr_1', what: 'It changed.', at: 0 }),
  noticeMail(
    portalUrl,
    'a@b.example',
    [{ id: 'whk_1', type: 'credential.revoked', data: { credentialId: 'key_1' } }],
    'EUR',
  ),
].map((mail) => ({ ...mail, language: 'en' }));

for (const { subject, text, html, language } of [...ourMails, ...customersMails]) {
  test(`“${subject}” (${language}) uses nothing that an email program lacks`, (t) => {
    for (const address of text.match(/https:\/\/\S+/g) ?? []) {
      t.true(html.includes(`href="${address}"`), address);
    }
    // Email programs remove scripts, and block remote fonts and images, which would track readers.
    t.notRegex(html, /<(script|link|form|iframe|svg)\b|url\(|@import|position:|flex|grid/i);
    t.true(html.includes(`<html lang="${language}">`));
    // Gmail clips emails of more than 102 KB.
    t.true(Buffer.byteLength(html) < 20_000);
    t.false(text.includes('<'), 'the text part has no markup');
    // The style sheet is only for dark mode: a program that removes it still shows the email correctly.
    const sheets = html.match(/<style>[\s\S]*?<\/style>/g) ?? [];
    t.is(sheets.length, 1);
    t.regex(
      sheets[0] ?? '',
      /^<style>@media \(prefers-color-scheme: dark\) \{\n(\.[^\n]+\n)+\}<\/style>$/,
    );
    for (const [, width] of html.matchAll(/(?:max-width:|width=")(\d+)(?:px|")/g)) {
      t.true(Number(width) <= 600, width);
    }
    for (const [picture] of html.matchAll(/<img[^>]*>/g)) {
      t.regex(
        picture,
        /src="https:\/\/portal\.example\/logos\/[^"]+" alt="[^"]+" width="\d+" height="\d+"/,
      );
    }
    for (const [table] of html.matchAll(/<table[^>]*>/g)) t.regex(table, /role="presentation"/);
  });
}
