import { setTimeout as delay } from 'node:timers/promises';
import type { SealedPurchase } from '../../../domain/purchase.ts';
import { openEvent } from '../../../models/store/data-keys.ts';
import { createSealer } from '../../../platform/sealing.ts';
import { watchBacklog } from './backlog.ts';
import { type Answers, describeAnswers, figure } from './figures.ts';
import type { Floors } from './floors.ts';
import { concurrencies, type Measured, type MoveKind } from './measured.ts';
import { sell } from './purchases.ts';
import type { LoadSetup } from './setup.ts';
import { longestMs, type Work } from './work.ts';

/** The results for refunds and claims, including the work after the response. */
export interface Moves {
  measured: Measured[];
  /** Refunds and claims carried out per second, from the first request until none was pending. */
  carriedOut: { what: 'refunds' | 'claims'; perSecond: number }[];
  /** How many purchases were waiting at the first request and after the last response. */
  waitingBefore: number;
  waitingAfter: number;
  /**
   * The longest time until a LIVE purchase of another partner started, while TEST purchases of one were
   * waiting.
   */
  otherStartMs: number;
}

/** Limited, because each one needs a purchase whose workflow has reached its timer. */
const atMost: Record<(typeof concurrencies)[number], number> = { 1: 200, 16: 600, 64: 600 };
/** The limit while purchases are waiting or Temporal hangs. */
const atMostDisturbed = 300;
/** How many purchases of another partner start during the backlog. */
const others = 5;
/** Some workflows start while the rest is being sent. */
const surplus = 1.2;
const pollMs = 50;

type Kind = 'refunds' | 'claims';

/**
 * LIVE refunds and claims of purchases waiting at their timers, each right after its floor: with no other
 * load, during a backlog of new purchases, and while Temporal hangs.
 */
export async function refundAndClaim(
  setup: LoadSetup,
  floors: Floors,
  waiting: number,
  part = 1,
): Promise<Moves> {
  const { service, generator, log } = setup;
  const moves: Moves = {
    measured: [],
    carriedOut: [],
    waitingBefore: 0,
    waitingAfter: 0,
    otherStartMs: 0,
  };

  async function ask(
    kind: Kind,
    what: MoveKind,
    concurrency: number,
    count: number,
  ): Promise<Answers> {
    const work = await workOf(setup, kind, count);
    const answers = await generator.ask({ work, concurrency, forMs: longestMs, atMost: count });
    log(`  ${what}, concurrency ${concurrency}: ${describeAnswers(answers)}`);
    moves.measured.push({ what, concurrency, answers });
    return answers;
  }

  for (const kind of ['refunds', 'claims'] as const) {
    for (const concurrency of concurrencies) {
      const floor = kind === 'refunds' ? floors.refund : floors.claim;
      const what = kind === 'refunds' ? 'refund floor' : 'claim floor';
      const least = await floor(concurrency);
      log(`  ${what}, concurrency ${concurrency}: ${describeAnswers(least)}`);
      moves.measured.push({ what, concurrency, answers: least });
      const answers = await ask(kind, kind, concurrency, Math.ceil(atMost[concurrency] * part));
      const drainMs = await untilCarriedOut(setup);
      if (concurrency !== 64) continue;
      const ms = answers.elapsedMs + drainMs;
      moves.carriedOut.push({ what: kind, perSecond: (answers.answered * 1_000) / ms });
    }
  }
  const disturbed = Math.ceil(atMostDisturbed * part);
  for (const kind of ['refunds', 'claims'] as const) {
    const prepared = await workOf(setup, kind, disturbed);
    const engine = service.pids().Temporal;
    if (engine === undefined) throw new Error('Temporal was not started here');
    process.kill(engine, 'SIGSTOP');
    try {
      const answers = await generator.ask({
        work: prepared,
        concurrency: 16,
        forMs: longestMs,
        atMost: disturbed,
      });
      const what = `${kind}, Temporal stopped` as const;
      log(`  ${what}: ${describeAnswers(answers)}`);
      moves.measured.push({ what, concurrency: 16, answers });
    } finally {
      process.kill(engine, 'SIGCONT');
    }
    await untilCarriedOut(setup);
  }
  const [refunds, claims] = [
    await workOf(setup, 'refunds', disturbed),
    await workOf(setup, 'claims', disturbed),
  ];
  const backlog = watchBacklog(service.models);
  await generator.ask({
    work: { kind: 'purchases', access: setup.partners.TEST, orders: setup.newOrders() },
    concurrency: 64,
    forMs: longestMs,
    atMost: Math.ceil(waiting * surplus),
  });
  moves.waitingBefore = await backlog.count();
  for (let nth = 0; nth < others; nth++) {
    moves.otherStartMs = Math.max(moves.otherStartMs, await otherStartMs(setup));
  }
  log(`  a LIVE purchase of another partner started after ${figure(moves.otherStartMs)} ms`);
  for (const [what, work] of [
    ['refunds, purchase backlog', refunds],
    ['claims, purchase backlog', claims],
  ] as const) {
    const answers = await generator.ask({
      work,
      concurrency: 16,
      forMs: longestMs,
      atMost: disturbed,
    });
    log(`  ${what}: ${describeAnswers(answers)}`);
    moves.measured.push({ what, concurrency: 16, answers });
  }
  moves.waitingAfter = await backlog.count();
  await backlog.untilCaughtUp();
  return moves;
}

/** @returns milliseconds from the response to another partner's purchase until its workflow has started */
async function otherStartMs({
  generator,
  partners,
  service,
  newOrders,
}: LoadSetup): Promise<number> {
  const orders = newOrders();
  const work = { kind: 'purchases', access: partners.other, orders } as const;
  const answers = await generator.ask({ work, concurrency: 1, forMs: longestMs, atMost: 1 });
  if (answers.answered !== 1) throw new Error('the other partner’s purchase was not accepted');
  const startMs = performance.now();
  const isWaiting = {
    externalOrderId: { $gt: `${orders}-`, $lt: `${orders}.` },
    pendingSince: { $exists: true },
  };
  while (await service.models.orderEvents.collection.findOne(isWaiting)) {
    if (performance.now() - startMs > longestMs) throw new Error('its workflow does not start');
    await delay(pollMs);
  }
  return performance.now() - startMs;
}

/** Creates this many LIVE purchases, and waits until they can be refunded or claimed. */
async function workOf(setup: LoadSetup, kind: Kind, count: number): Promise<Work> {
  const { partners, service } = setup;
  const orders = setup.newOrders();
  const sale = { name: `for ${kind}`, mode: 'LIVE', concurrency: 16, atMost: count } as const;
  await sell(setup, { ...sale, orders });
  if (kind === 'refunds') return { kind, access: partners.LIVE, orders };
  const tokens = await tokensOf(setup, orders);
  return { kind, access: { ...partners.LIVE, baseUrl: service.portalUrl }, tokens };
}

async function tokensOf({ service }: LoadSetup, orders: string): Promise<string[]> {
  const { models, config } = service;
  const sealer = createSealer(config.masterKeys);
  const events = await models.orderEvents
    .find({ externalOrderId: { $gt: `${orders}-`, $lt: `${orders}.` } })
    .lean();
  const opened = await Promise.all(events.map((event) => openEvent({ models, sealer }, event)));
  return opened.flatMap((text) =>
    text === null ? [] : [(JSON.parse(text) as SealedPurchase).claimToken],
  );
}

/** @returns milliseconds until nothing is pending */
async function untilCarriedOut({ service }: LoadSetup): Promise<number> {
  const { orderEvents, rewards } = service.models;
  const pending = { pendingSince: { $exists: true } };
  const startMs = performance.now();
  for (;;) {
    const [event, reward] = await Promise.all(
      [orderEvents, rewards].map(({ collection }) => collection.findOne(pending)),
    );
    if (event === null && reward === null) return performance.now() - startMs;
    if (performance.now() - startMs > longestMs) throw new Error('moves are not carried out');
    await delay(pollMs);
  }
}
