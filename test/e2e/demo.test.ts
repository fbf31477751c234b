import test from 'ava';
import { createOperator } from '../../dev/demo/operator.ts';
import { tellStory } from '../../dev/demo/story.ts';
import { claimTokenOf } from '../helpers/claim-token.ts';
import { type Service, startService } from '../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

async function tell(change: { claimLink?: string } = {}): Promise<string[]> {
  const told: string[] = [];
  const tested = await service.partner();
  const lived = await service.partner({ mode: 'LIVE', fundingCents: 100_000 });
  const note = (text: string) => told.push(text);
  await tellStory({
    baseUrl: service.baseUrl,
    test: tested,
    live: lived,
    operator: createOperator(service.adminUrl, service.adminToken),
    async claimLinkOf(rewardId) {
      const reward = await service.rewardOf(rewardId);
      const token = await claimTokenOf(service, reward.purchaseEventId);
      return change.claimLink ?? (await service.claimLink(token));
    },
    narrator: { chapter: note, step: note, happened: note, link: (_what, url) => note(url) },
    shortWindowSeconds: 1,
  });
  return told;
}

test('the demo tells the whole story, and may be told again', async (t) => {
  for (let time = 0; time < 2; time++) {
    const told = (await tell()).join('\n');
    for (const word of [
      'IDEMPOTENCY_CONFLICT',
      'DUPLICATE_EXTERNAL_ORDER',
      'AVAILABLE, CLAIMED',
      'ADMIN_REVIEW',
      '409 CONFLICT',
      'EXPIRED',
      'NO_ACTION',
      '499 points, 4.99 USD',
      '%2FTEST%2F',
      '%2FLIVE%2F',
    ]) {
      t.true(told.includes(word), word);
    }
  }
});

test('a story that goes otherwise than the contract says fails', async (t) => {
  await t.throwsAsync(tell({ claimLink: await service.claimLink('nothing') }), {
    message: /the claim was answered with 404/,
  });
});
