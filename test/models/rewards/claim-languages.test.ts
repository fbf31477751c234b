import test from 'ava';
import { createClaimLanguages } from '../../../models/rewards/claim-languages.ts';
import type { Models } from '../../../models/schemas/index.ts';
import { takeDatabase } from '../../helpers/test-database.ts';

let models: Models;
let giveBack: () => Promise<void>;
test.before(async () => {
  ({ models, giveBack } = await takeDatabase());
});
test.after.always(() => giveBack?.());

const partnerId = 'prt_languages';
const mode = 'LIVE';

/** Stores a customer's rewards, oldest first, each with the language in which it was claimed. */
async function store(customerId: string, languages: readonly (string | undefined)[]) {
  const docs = languages.map((claimLanguage, nth) => ({
    ...{ _id: rewardOf(customerId, nth), partnerId, mode, customerId },
    ...{ purchaseEventId: `evt ${customerId} ${nth}`, workflowId: `${customerId} ${nth}` },
    ...{ claimTokenHash: `${customerId} ${nth}` },
    ...(claimLanguage && { claimLanguage }),
  }));
  await models.rewards.collection.insertMany(docs as never[]);
}

const rewardOf = (customerId: string, nth: number) =>
  `PNR_${customerId}${String(nth).padStart(2, '0')}`;

test('each of several customers has the language of their newest claim, at the same time', async (t) => {
  await store('ana', ['es', 'fr', undefined]);
  await store('ben', [undefined]);
  await store('cem', ['de', ...Array.from({ length: 10 }, () => undefined)]);
  const find = createClaimLanguages(models);
  const of = (customerId: string, nth: number) =>
    find({ partnerId, mode, customerId, rewardId: rewardOf(customerId, nth) });
  const found = await Promise.all([of('ana', 2), of('ben', 0), of('ana', 0), of('cem', 10)]);
  // Cem's only claim is not among the newest rewards, which are all that is searched.
  t.deepEqual(found, ['fr', undefined, 'es', undefined]);
});

test('rewards of other partners and of the other mode do not count', async (t) => {
  await store('dia', ['de', undefined]);
  const find = createClaimLanguages(models);
  const request = { partnerId, mode, customerId: 'dia', rewardId: rewardOf('dia', 1) } as const;
  t.is(await find(request), 'de');
  t.is(await find({ ...request, mode: 'TEST' }), undefined);
  t.is(await find({ ...request, partnerId: 'prt_other' }), undefined);
});
