import { randomUUID } from 'node:crypto';
import test from 'ava';
import { addWithinLimit } from '../../../models/store/add-within-limit.ts';
import { type Service, startService } from '../../helpers/service.ts';

let service: Service;
test.before(async () => {
  service = await startService();
});
test.after.always(() => service?.stop());

test('concurrent first additions to a sum stay within its limit', async (t) => {
  const { mailCounts } = service.models;
  const expiresAt = new Date(Date.now() + 60_000);
  for (const [limit, asked] of [
    [20, 20],
    [7, 20],
  ] as const) {
    const _id = `test ${randomUUID()}`;
    const adding = Array.from({ length: asked }, () =>
      addWithinLimit(mailCounts, { _id, expiresAt }, 'count', { by: 1, limit }),
    );
    const added = (await Promise.all(adding)).filter((isAdded) => isAdded);
    t.is(added.length, limit);
    t.is((await mailCounts.findById(_id))?.count, limit);
  }
});

test('an addition above the limit does not create the sum', async (t) => {
  const { mailCounts } = service.models;
  const sum = { _id: `test ${randomUUID()}`, expiresAt: new Date(Date.now() + 60_000) };
  t.false(await addWithinLimit(mailCounts, sum, 'count', { by: 3, limit: 2 }));
  t.is(await mailCounts.findById(sum._id), null);
});
