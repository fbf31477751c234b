import test from 'ava';
import { noticeTypes } from '../../domain/partners.ts';
import { operatorEventTypes, webhookExamples } from '../../domain/webhooks.ts';
import { type NoticeEvent, noticeMail } from '../../messaging/notice-mail.ts';

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
  'reward.awaiting_funding': '1 reward is waiting for funds: €4.99 in total.',
  'usage.threshold': '80% of your plan’s points are used: 801 of 1,000.',
  'invoice.issued': 'Invoice 2026-0001 for $10.00 was issued.',
  'review.asked':
    'An operator has a question about the refund of order order-1. Answer it under Questions.',
  'review.decided': 'The review of order order-1 was decided: the refund was upheld.',
  'credential.created': 'The LIVE API key key_01K7 was created.',
  'credential.revoked': 'The LIVE API key key_01K7 was revoked.',
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
  });
}

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
  t.is(subject, '2 notices');
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
