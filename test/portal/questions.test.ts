import test from 'ava';
import { type Service, startService } from '../helpers/service.ts';
import { textOf } from './helpers/browser.ts';
import { operatorBrowser, partnerBrowser } from './helpers/people.ts';
import { startPortal, type TestPortal } from './helpers/portal.ts';
import { storeReview } from './helpers/stored.ts';

let service: Service;
let portal: TestPortal;
test.before(async () => {
  service = await startService();
  portal = await startPortal(service);
});
test.after.always(async () => {
  await portal?.stop();
  await service?.stop();
});

test('an operator asks, the partner answers, and both see it with times; the note stays with the operators', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, { partnerId, mark: 'Jane' });
  const path = `/admin/reviews/${review._id}`;
  const ada = await operatorBrowser(portal, 'support');
  await ada.open(path);
  await ada.submit(`${path}/notes`, { text: 'I do not trust them' });
  await ada.open(`${path}/ask`);
  t.regex(textOf((await ada.submit(`${path}/ask`, { text: ' ' })).html), /Enter some text/);
  await ada.submit(`${path}/ask`, { text: 'Did <it> come back?' });

  const dora = await partnerBrowser(portal, partnerId, 'developer');
  const list = await dora.open('/questions?mode=TEST');
  t.regex(textOf(list.html), new RegExp(`${review.externalOrderId} .* Awaiting your answer`));
  const home = async () => textOf((await dora.open('/home?mode=TEST')).html);
  t.regex(await home(), /A question waits for your answer\. .* Answer it/);
  const asked = `/questions/${review._id}`;
  const shown = await dora.open(asked);
  t.regex(textOf(shown.html), /Did <it> come back\? An operator, \d/);
  t.notRegex(shown.html, /trust|An support/);
  t.regex(textOf((await dora.submit(asked, { text: '' })).html), /Enter some text/);
  const sent = await dora.submit(asked, { text: 'It did, on Monday' });
  t.regex(textOf(sent.html), /Answer sent.*It did, on Monday/);
  t.regex(textOf((await dora.open('/questions?mode=TEST')).html), /Answered/);

  t.notRegex(await home(), /question waits/);

  const answered = textOf((await ada.open(path)).html);
  t.regex(answered, /Did <it> come back\? Question to the partner by An support, \d/);
  t.regex(answered, /It did, on Monday Answer from the partner by /);

  const viewer = await partnerBrowser(portal, partnerId, 'viewer');
  const read = await viewer.open(asked);
  t.regex(textOf(read.html), /It did, on Monday/);
  t.notRegex(read.html, /Send answer/);

  await ada.open(`${path}/dismiss`);
  await ada.submit(`${path}/dismiss`, { reasonCode: 'GOODWILL' });
  const decided = await dora.open(asked);
  t.regex(textOf(decided.html), /The refund was dismissed/);
  t.notRegex(decided.html, /Send answer/);
});

test('without a question there is no page, and an answer is not stored', async (t) => {
  const { partnerId } = await service.partner();
  const { review } = await storeReview(portal, { partnerId, mark: 'Jane' });
  const dora = await partnerBrowser(portal, partnerId, 'developer');
  t.is((await dora.ask('GET', `/questions/${review._id}`)).status, 404);
  await dora.open('/account');
  const { status } = await dora.post(`/questions/${review._id}`, { text: 'unasked' });
  t.is(status, 404);
  t.is(await service.models.reviewNotes.countDocuments({ partnerId }), 0);
  t.regex(textOf((await dora.open('/questions')).html), /No questions/);
});
