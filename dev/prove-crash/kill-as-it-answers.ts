import type { Models } from '../../models/schemas/index.ts';
import type { Diary, Shop } from './diary.ts';
import { isFinal, send } from './send.ts';
import type { Stage } from './stage.ts';
import { oneOf, purchaseIn } from './traffic.ts';

interface Killing {
  stage: Stage;
  shops: Shop[];
  models: Models;
  diary: Diary;
}

const atOnce = 16;

/**
 * Kills the API as it gives the first of many answers, starts it again, and so on: of the purchases
 * that are under way some are recorded, and their workflows are not started.
 * @returns how many purchases were found recorded and not begun, right after a kill
 */
export async function killAsItAnswers(
  { stage, shops, models, diary }: Killing,
  times: number,
): Promise<number> {
  const caught = new Set<string>();
  for (let time = 0; time < times; time++) {
    const asked = Array.from({ length: atOnce }, () => purchaseIn(oneOf(shops)));
    diary.sent.push(...asked);
    const answers = asked.map(async (sent) => {
      const answer = await send(stage.baseUrl, sent);
      if (answer && isFinal(answer)) sent.answer = answer;
    });
    await Promise.race(answers);
    await stage.kill(['API']);
    const unbegun = await models.orderEvents
      .find({ pendingSince: { $exists: true } }, { _id: 1 })
      .lean();
    for (const { _id } of unbegun) caught.add(_id);
    await Promise.all(answers);
    await stage.revive(['API']);
  }
  return caught.size;
}
