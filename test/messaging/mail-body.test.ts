import test from 'ava';
import { bodiesOf, type MailContent } from '../../messaging/mail-body.ts';
import { noticeMail } from '../../messaging/notice-mail.ts';
import {
  accountChangeMail,
  factorResetMail,
  invitationMail,
  signInMail,
} from '../../messaging/portal-mails.ts';

const content: MailContent = {
  ...{ house: 'Corner Shop', subject: 'Points', paragraphs: ['One.', 'Two.'] },
  link: { text: 'Claim your points', url: 'https://portal.example/claim/abc' },
  notes: ['Keep it.'],
  more: [{ text: 'Choose your notices', url: 'https://portal.example/account/notices' }],
};

test('the text says what the HTML says, in the same order', (t) => {
  const { text, html } = bodiesOf(content);
  t.is(
    text,
    'One.\n\nTwo.\n\nClaim your points:\nhttps://portal.example/claim/abc\n\nKeep it.\n\nChoose your notices: https://portal.example/account/notices\n\n',
  );
  const said = ['Corner Shop', 'One.', 'Two.', 'Claim your points', '/claim/abc', 'Keep it.'];
  const places = said.map((one) => html.lastIndexOf(one));
  t.true(places.every((place) => place > 0));
  t.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
  );
});

test('what somebody else wrote is text in the HTML, also in an address', (t) => {
  const hostile = `"><img src=x onerror=alert(1)>`;
  const { html } = bodiesOf({
    ...{ house: hostile, subject: hostile, paragraphs: [hostile], notes: [hostile] },
    link: { text: hostile, url: `https://a.example/${hostile}` },
    more: [{ text: hostile, url: hostile }],
  });
  t.false(html.includes('<img'));
  t.is(html.split('&lt;img src=x').length - 1, 9);
});

const portalUrl = 'https://portal.example';
const way = { token: 'tkn', linkEndsAt: new Date(0) };
const mails = [
  signInMail(portalUrl, 'a@b.example', way),
  invitationMail(portalUrl, { to: 'a@b.example', partnerName: 'Shop', role: 'owner' }, way),
  factorResetMail(portalUrl, 'a@b.example', { userId: 'usr_1', at: 0 }),
  accountChangeMail(portalUrl, 'a@b.example', { userId: 'usr_1', what: 'It changed.', at: 0 }),
  noticeMail(
    portalUrl,
    'a@b.example',
    [{ id: 'whk_1', type: 'credential.revoked', data: { credentialId: 'key_1' } }],
    'EUR',
  ),
];

for (const { subject, text, html } of mails) {
  test(`“${subject}” asks nothing of a mail program that one of them lacks`, (t) => {
    for (const address of text.match(/https:\/\/\S+/g) ?? []) {
      t.true(html.includes(`href="${address}"`), address);
    }
    // Scripts and sheets are cut out, pictures and fonts from elsewhere are blocked or tell who reads.
    t.notRegex(
      html,
      /<(script|style|link|img|form|iframe|svg)\b|url\(|@import|position:|flex|grid/i,
    );
    t.regex(html, /<html lang="en">/);
    // Gmail cuts off what is longer than 102 KB.
    t.true(Buffer.byteLength(html) < 20_000);
  });
}
