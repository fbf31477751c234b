import { watchBacklog } from './behind.ts';
import type { Answers } from './figures.ts';
import { sell } from './purchases.ts';
import type { Scene } from './scene.ts';
import { longestMs } from './work.ts';

export interface Refunds {
  answers: Answers;
  /** How many purchases waited when the first was asked for, and when the last was answered. */
  waitingBefore: number;
  waitingAfter: number;
}

const refunded = 200;
/** Some begin while the rest is being sent. */
const surplus = 1.2;

/** Refunds of earlier orders, while so many new ones wait for their workflows. */
export async function refund(scene: Scene, waiting: number, forMs: number): Promise<Refunds> {
  const { stage, shops, generator } = scene;
  const orders = scene.newOrders();
  const sale = {
    name: 'to refund',
    mode: 'TEST',
    atOnce: 4,
    forMs: longestMs,
    atMost: refunded,
  } as const;
  await sell(scene, { ...sale, orders });
  const backlog = watchBacklog(stage.models);
  await generator.ask({
    work: { kind: 'purchases', place: shops.TEST, orders: scene.newOrders() },
    ...{ atOnce: 64, forMs: longestMs, atMost: Math.ceil(waiting * surplus) },
  });
  const waitingBefore = await backlog.count();
  const work = { kind: 'refunds', place: shops.TEST, orders } as const;
  const answers = await generator.ask({ work, atOnce: 4, forMs, atMost: refunded });
  const waitingAfter = await backlog.count();
  await backlog.untilCaughtUp();
  return { answers, waitingBefore, waitingAfter };
}
