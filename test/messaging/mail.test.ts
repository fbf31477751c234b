import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { Logo } from '../../domain/branding.ts';
import { languages } from '../../domain/languages.ts';
import { noticeTypes } from '../../domain/partners.ts';
import { operatorEventTypes, webhookExamples } from '../../domain/webhooks.ts';
import { customerMail, pointsMail } from '../../messaging/customer-messages.ts';
import { bodiesOf, createMailer, type MailContent } from '../../messaging/mailer.ts';
import { type Mail, type Message, UnreachableError } from '../../messaging/message.ts';
import { removeEnded } from '../../messaging/message-folder.ts';
import { type NoticeEvent, noticeMail } from '../../messaging/notice-mail.ts';
import {
  accountChangeMail,
  factorResetMail,
  invitationMail,
  signInMail,
} from '../../messaging/portal-mails.ts';
import { withShortTimeout } from '../../messaging/send-message.ts';
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
  externalOrderId: 'A-1001',
  claimableFrom: '2026-11-05T14:05:00Z',
  claimExpiresAt: '2026-12-05T14:05:00Z',
};
const customersMails = languages.flatMap((language) => {
  const localizer = localizerOf(language, 'Europe/Berlin');
  const link = `${portalUrl}/claim/${'x'.repeat(43)}`;
  return [
    ...(['ON_HOLD', 'OFFER', 'REMINDER', 'TAKEN_BACK', 'CORRECTED'] as const).map((reason) =>
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

test('an offer comes from the partner, and shows the points in large type, with the order', (t) => {
  const localizer = localizerOf('de', 'Europe/Berlin');
  const context = {
    localizer,
    reason: 'OFFER',
    link: portalUrl,
    portalUrl,
    currency: 'JPY',
  } as const;
  const { senderName, subject, text, html } = customerMail(reward, partner, context, 'a@b.example');
  t.is(senderName, 'Blue “Bottle” Books');
  t.regex(subject, /1\.000\.000 Punkte .* Books/);
  t.regex(text, /^1\.000\.000 Punkte\nBestellung A-1001\n/);
  t.regex(html, /font-size:44px[^>]*>1\.000\.000 <span/);
  const named = { ...reward, externalOrderId: 'win at https://evil.example' };
  t.notRegex(customerMail(named, partner, context, 'a@b.example').text, /evil\.example/);
});

test('points on hold are told with their day, and without the claim link', (t) => {
  const localizer = localizerOf('en', 'Europe/Berlin');
  const link = `${portalUrl}/claim/secret`;
  const context = { localizer, reason: 'ON_HOLD', link, portalUrl, currency: 'EUR' } as const;
  const { subject, text, html } = customerMail(reward, partner, context, 'a@b.example');
  t.regex(subject, /1,000,000 points for your purchase at Blue/);
  t.regex(text, /You can claim them from 5 Nov 2026, 15:05 CET\./);
  t.notRegex(text + html, /secret|claim\//);
});

for (const [language, currency, shown] of [
  ['en', 'USD', '$49.90'],
  ['en', 'JPY', '¥4,990'],
  ['de', 'JPY', '4.990 ¥'],
  ['fr', 'KWD', '4,990 KWD'],
] as const) {
  test(`4990 minor units of ${currency} are ${shown} for customers (${language})`, (t) => {
    const text = localizerOf(language, 'UTC').money(4_990, currency);
    t.is(text.replace(/\s/g, ' '), shown);
  });
}

const mail: Mail = {
  id: 'PNR_1',
  to: 'jane@private.example',
  subject: 'Points',
  text: 'Yours.',
  html: '<p>Yours, too.</p>',
};

/** Starts a mail server that accepts everything, and records what it receives. */
async function smtpServer(t: ExecutionContext) {
  let received = '';
  const server = createServer((socket) => {
    socket.write('220 here\r\n');
    let isData = false;
    socket.on('data', (chunk) => {
      received += chunk;
      if (isData && String(chunk).endsWith('\r\n.\r\n')) isData = false;
      else if (isData) return;
      if (/^DATA/im.test(String(chunk))) isData = true;
      socket.write(isData ? '354 go on\r\n' : '250 fine\r\n');
    });
    socket.on('error', () => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return {
    url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received: () => received,
  };
}

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'messages-'));
  t.teardown(() => rm(path, { recursive: true }));
  return path;
}

test('with a mail server, an email is sent there, unless it stays in the message folder', async (t) => {
  const { url, received } = await smtpServer(t);
  const messageDir = await folder(t);
  const send = createMailer({ smtpUrl: url, from: 'a@b.example', messageDir });
  await send(mail);
  t.true(received().includes(mail.to));
  t.deepEqual(await readdir(messageDir), []);
  t.notRegex(received(), /^Reply-To:/m);
  await send({ ...mail, replyTo: 'help@shop.example' });
  t.regex(received(), /^Reply-To: help@shop\.example\r$/m);
  await send({ ...mail, senderName: 'Corner Shop' });
  t.regex(received(), /^From: Corner Shop <a@b\.example>\r$/m);
  await send({ ...mail, id: 'PNR_2', to: 'stranger@private.example', staysInFolder: true });
  t.false(received().includes('stranger'));
  t.deepEqual(await readdir(messageDir), ['PNR_2.eml']);
});

test('without a mail server, every email is a readable file, and a repeat overwrites it', async (t) => {
  const messageDir = await folder(t);
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', messageDir });
  for (let again = 0; again < 2; again++) await send(mail);
  t.deepEqual(await readdir(messageDir), ['PNR_1.eml']);
  const text = await readFile(join(messageDir, 'PNR_1.eml'), 'utf8');
  for (const part of [mail.to, mail.subject, mail.text, mail.html]) t.true(text.includes(part));
  t.true(text.indexOf(mail.text) < text.indexOf(mail.html), 'the preferred alternative comes last');
  t.regex(text, /Content-Type: multipart\/alternative/);
});

test('a saved copy with a link is deleted once the link has ended', async (t) => {
  const messageDir = await folder(t);
  const send = createMailer({ smtpUrl: undefined, from: 'a@b.example', messageDir });
  const until = (seconds: number) => ({ linkEndsAt: new Date(Date.now() + seconds * 1_000) });
  await send(mail);
  await send({ ...mail, id: 'sign-in-1', ...until(-60) });
  await send({ ...mail, id: 'sign-in-2', ...until(3_600) });
  const left = (await readdir(messageDir)).toSorted();
  t.deepEqual(
    left.map((name) => name.split('.')[0]),
    ['PNR_1', 'sign-in-2'],
  );
  t.is(await removeEnded(messageDir, Date.now() + 3_700_000), 1);
  t.deepEqual(await readdir(messageDir), ['PNR_1.eml']);
});

test('an email that something waits for skips a mail server that just failed', async (t) => {
  let attempts = 0;
  const send = withShortTimeout(async () => {
    attempts += 1;
    throw new Error('no response');
  });
  for (let nth = 0; nth < 20; nth++) await t.throwsAsync(send(mail));
  t.true(attempts >= 1 && attempts <= 5, `${attempts} attempts`);
});

test('text messages continue while the mail server fails, and an unreachable number does not count as a failure', async (t) => {
  const attempted: Message[] = [];
  const send = withShortTimeout(async (message) => {
    attempted.push(message);
    if (message.channel === 'SMS') throw new UnreachableError('not a mobile phone');
    throw new Error('no response');
  });
  const text: Message = { channel: 'SMS', id: 'text-1', to: '+12025550123', text: 'Yours.' };
  for (let nth = 0; nth < 20; nth++) {
    await t.throwsAsync(send(mail));
    await t.throwsAsync(send(text), { instanceOf: UnreachableError });
  }
  t.is(attempted.filter(({ channel }) => channel === 'SMS').length, 20);
});

type EventType = NoticeEvent['type'];

/** The sentence about each event, in an email about it alone. */
const sentences: Record<Exclude<EventType, (typeof operatorEventTypes)[number]>, string> = {
  'go_live.approved': 'Your go-live request was approved. Create a LIVE key to start.',
  'go_live.returned': 'Your go-live request needs changes: The website is not reachable.',
  'funding.low':
    'Your LIVE funding is down to €42.00, below €50.00, and lasts 3 days at the current rate.',
  'funding.recovered':
    'Your LIVE funding is back at €142.00, no longer below €50.00, and lasts 11 days at the current rate.',
  'funding.topped_up': 'A top-up of €100.00 was credited. Your LIVE funding is €142.00.',
  'funding.withdrawn':
    '€42.00 of your LIVE funding was paid back to you. Your LIVE funding is €100.00.',
  'funding.corrected':
    'A top-up was corrected: €100.00 was taken back. Your LIVE funding is €42.00.',
  'reward.awaiting_funding': '1 reward is waiting for funds: €4.99 in total.',
  'usage.threshold': '80% of your plan’s points are used: 801 of 1,000.',
  'budget.threshold':
    '80% of the points of March 2026 of your budget “Spring” are used: 8,010 of 10,000.',
  'invoice.issued': 'Invoice 2026-0001 for $10.00 was issued.',
  'invoice.payment_recorded':
    'A payment of $4.00 for invoice 2026-0001 arrived. $6.00 is left to pay.',
  'invoice.payment_reversed':
    'A payment of $4.00 for invoice 2026-0001 was recorded by mistake: it did not arrive. $10.00 is left to pay.',
  'invoice.overdue': 'Reminder: $6.00 of invoice 2026-0001 was due on 15 March 2026.',
  'invoice.voided':
    'Invoice 2026-0001 was voided by the credit note 2026-0001-C. Nothing is due for it.',
  'review.asked':
    'An operator has a question about the refund of order order-1. Answer it under Questions.',
  'review.decided': 'The review of order order-1 was decided: the refund was upheld.',
  'credential.created': 'The LIVE API key key_01K7 was created.',
  'credential.revoked': 'The LIVE API key key_01K7 was revoked.',
  'credential.expiring':
    'The secret sec_01K7 of the LIVE API key key_01K7 expires on 29 March 2026. Rotate it before that.',
  'service_account.changed': 'The LIVE service account sva_01K7 was rotated.',
};

const mailOf = (...events: NoticeEvent[]) =>
  noticeMail('https://portal.example', 'ada@shop.example', events, 'EUR');

const event = (type: keyof typeof sentences, data = {}, id = 'whk_1'): NoticeEvent => ({
  id,
  type,
  data: { ...webhookExamples[type], ...data },
});

for (const type of noticeTypes) {
  // News about the endpoint itself has a separate email.
  if (type === 'webhook-endpoint.news') continue;
  test(`the email about ${type} says what happened, and links to the portal`, (t) => {
    const { subject, text, to } = mailOf(event(type));
    t.is(to, 'ada@shop.example');
    t.is(subject, sentences[type].replace(/\.$/, ''));
    t.true(text.startsWith(sentences[type]), text);
    t.regex(text, /https:\/\/portal\.example\/account\/notices/);
    t.notRegex(text, /portal\.example\/\s|undefined/, 'it links to what it is about');
  });
}

test('an email about several things links to the start page', (t) => {
  const { text } = mailOf(event('usage.threshold'), event('credential.created'));
  t.regex(text, /https:\/\/portal\.example\/\s/);
});

test('a proposal is one click away: its notice links to the page with what changes and the button', (t) => {
  const waiting = (nth: number): NoticeEvent => ({
    id: `whk_${nth}`,
    type: 'approval.waiting',
    data: { proposalId: `prp_${nth}` },
    text: 'A top-up waits.',
  });
  const linkIn = ({ text }: { text: string }) =>
    /https:\/\/portal\.example(\/admin\S*|\/)\s/.exec(text)?.[1];
  t.is(linkIn(mailOf(waiting(1))), '/admin/approvals/prp_1');
  t.is(linkIn(mailOf(waiting(1), waiting(2))), '/admin/approvals');
  t.is(linkIn(mailOf(waiting(1), event('credential.created'))), '/');
});

test('an email about something to pay names the bank account and the reference of each transfer', (t) => {
  const howToPay = { details: 'IBAN DE02\nBIC X', topUpReference: 'PE-7K3QX9F2' };
  const of = (...events: NoticeEvent[]) =>
    noticeMail('https://portal.example', 'ada@shop.example', events, 'EUR', howToPay).text;
  const account = /How to pay: transfer it to IBAN DE02, BIC X\. The reference is:/;
  for (const type of ['invoice.issued', 'invoice.overdue'] as const) {
    const text = of(event(type));
    t.regex(text, account);
    t.regex(text, /for invoice 2026-0001, PE-7K3QX9F2-1\./);
    t.notRegex(mailOf(event(type)).text, /How to pay/, 'no account is configured');
  }
  t.regex(of(event('funding.low'), event('invoice.issued')), /-1; for a top-up, PE-7K3QX9F2\./);
  t.notRegex(of(event('invoice.payment_recorded')), /How to pay/);
});

test('operators read their own sentence for each event', (t) => {
  for (const type of operatorEventTypes) {
    const text = `What ${type} is about.`;
    t.true(mailOf({ id: 'whk_1', type, data: {}, text }).text.startsWith(text), type);
  }
});

test('many rewards waiting for funds are one sentence, and many sentences one email', (t) => {
  const waiting = [1, 2, 3].map((nth) => event('reward.awaiting_funding', {}, `whk_${nth}`));
  t.is(mailOf(...waiting).subject, '3 rewards are waiting for funds: €14.97 in total');
  const { subject, text } = mailOf(...waiting, event('credential.created', {}, 'whk_4'));
  t.is(subject, 'The LIVE API key key_01K7 was created, and 1 more');
  t.regex(text, /The LIVE API key key_01K7 was created\.\s+3 rewards are waiting for funds/);
});

test('an email about the same events has the same id, so a repeat is not a second one', (t) => {
  t.is(mailOf(event('credential.created')).id, mailOf(event('credential.created')).id);
  t.not(mailOf(event('credential.created')).id, mailOf(event('credential.created', {}, 'x')).id);
});

test('a partner’s own text stays on the one line of a subject', (t) => {
  const { subject } = mailOf(event('review.decided', { externalOrderId: 'a\r\nBcc: b\u2028c' }));
  t.is(subject, 'The review of order a Bcc: b c was decided: the refund was upheld');
});

test('money that is not being spent has no runway', (t) => {
  const { text } = mailOf(event('funding.low', { runwayDays: null }));
  t.regex(text, /^Your LIVE funding is down to €42\.00, below €50\.00\.\n/);
});
