import {
  CancellationScope,
  condition,
  defineSignal,
  isCancellation,
  log,
  patched,
  setCurrentDetails,
  setHandler,
  sleep,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import type { Accounted } from '../activities/accounting.ts';
import { reminderAtMs } from '../domain/claim-reminder.ts';
import { type Channel, channels } from '../domain/messages.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import type { ReviewRef } from '../domain/review.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import { type RewardStatus, waitingFor } from '../domain/reward-states.ts';
import type { PurchaseSignal } from '../domain/workflow-names.ts';
import { rewardStatusKey, stateQuery, wakingSignals } from './messages.ts';
import { admins, atOnce, mailPatienceMs, mails, tryClaimLink } from './purchase-steps.ts';

/** What the partner is told of the accounting. */
type News = Pick<Accounted, 'missingCents' | 'lowBalanceCents'>;

/** What a run hands to the one that goes on from it. */
export interface Untold {
  /** ISO 8601, the end of the claim window that the customer knows of. */
  offeredUntil: string | null;
  news: News | null;
}

/** A review that fails is asked for again, but not without a breath. */
const reviewPauseMs = 10_000;

/**
 * How a purchase stands, and what its workflow does about it, step by step. What wakes it only says that
 * there is something to look at.
 */
export class PurchaseStory {
  readonly #ref: PurchaseRef;
  readonly #isContinued: boolean;
  readonly untold: Untold;
  #reward: RewardSnapshot | undefined;
  #shownStatus = workflowInfo().typedSearchAttributes.get(rewardStatusKey);
  readonly #wokenBy = new Set<PurchaseSignal>();
  /** The review that is before the admins. */
  #asked: ReviewRef | undefined;
  #reviewFailure: string | undefined;
  /** The end of the claim window that the customer knows of, or is being told. */
  #offering: string | undefined;
  /** The end of the claim window that the customer was reminded of. */
  #reminded: string | undefined;
  #isTellingTakenBack = false;
  readonly #mail = new CancellationScope();
  readonly #mailed: Promise<void>[] = [];

  constructor(ref: PurchaseRef, untold?: Untold) {
    this.#ref = ref;
    this.#isContinued = untold !== undefined;
    this.untold = untold ?? { offeredUntil: null, news: null };
    for (const [signal, description] of Object.entries(wakingSignals)) {
      setHandler(defineSignal(signal), () => void this.#wokenBy.add(signal as PurchaseSignal), {
        description,
      });
    }
    setHandler(stateQuery, () => ({
      reward: this.#reward ?? null,
      waitingFor: describeWait(this.#reward),
    }));
  }

  get status(): RewardStatus {
    return this.#current.status;
  }

  /** Whether something happened that was not looked at. */
  get isWoken(): boolean {
    return this.#wokenBy.size > 0;
  }

  /** Whether the customer is being told that points were taken back: no run that goes on from this one will. */
  get isTellingTakenBack(): boolean {
    return this.#isTellingTakenBack;
  }

  /** Nobody is waited for, and all is carried out that was decided when it was looked at last. */
  get isOver(): boolean {
    return (
      !this.isWoken &&
      !this.#isTellingTakenBack &&
      !this.#current.isPending &&
      waitingFor(this.#current) === 'NOBODY'
    );
  }

  get #current(): RewardSnapshot {
    if (this.#reward === undefined) throw new Error('the purchase has begun by now');
    return this.#reward;
  }

  async begin(): Promise<void> {
    this.#show(await atOnce('create the reward').beginPurchase(this.#ref));
  }

  /** Puts money behind the reward, and tells the partner where that is short. */
  async account(): Promise<void> {
    if (!isClaimWindowRunning(this.#current)) return;
    const { reward, missingCents, lowBalanceCents, decidedAt } = await atOnce(
      'put money behind the reward',
    ).accountReward(this.#current, now());
    // A purchase that was refunded while its money was reserved is to be looked at again.
    this.#show({ ...reward, isPending: reward.isPending || this.#current.isPending });
    const hasNews = missingCents !== null || lowBalanceCents !== null;
    // A run that goes on from another tells nobody anything twice; one that begins anew, because the
    // one before was lost, tells what may not have been told.
    if (!this.#isContinued && hasNews && !isOldNews(decidedAt)) {
      this.untold.news = { missingCents, lowBalanceCents };
    }
    if (this.untold.news) this.#tellPartner(this.untold.news);
  }

  /** Carries out what is unfinished, in the order of the moves, for as long as there is something. */
  async carryOut(): Promise<void> {
    for (
      let isFirst = true;
      this.isWoken || (isFirst && this.#current.isPending);
      isFirst = false
    ) {
      const why = this.isWoken ? [...this.#wokenBy].join(', ') : 'left by an earlier run';
      this.#wokenBy.clear();
      this.#show(await atOnce(`carry out what is unfinished: ${why}`).carryOut(this.#ref));
    }
  }

  /** The reward can be claimed: the customer is told, now if that is possible, else with patience. */
  async offer(): Promise<void> {
    const claimable = this.#current;
    const { status, fundedAt, claimExpiresAt } = claimable;
    const isOffered = [this.untold.offeredUntil, this.#offering].includes(claimExpiresAt);
    if (status !== 'PENDING' || fundedAt === null || isOffered || isOldNews(fundedAt)) return;
    // Begun so late that the window is over, there is nothing to offer.
    if (windowMs(claimable) <= 0) return;
    this.#offering = claimExpiresAt;
    const noteOffered = () => {
      this.untold.offeredUntil = claimExpiresAt;
    };
    const left = await tryClaimLink(claimable).catch(() => channels);
    if (left.length === 0) return noteOffered();
    this.#tell('the customer', async () => {
      await Promise.all(left.map((channel) => tellCustomer(claimable, channel)));
      noteOffered();
    });
  }

  /** What the reward waits for decides what its workflow waits for. */
  async awaitNext(): Promise<void> {
    switch (waitingFor(this.#current)) {
      case 'CUSTOMER':
      case 'FUNDS':
        return await this.#awaitClaim();
      case 'ADMIN':
        return await this.#awaitDecision();
      case 'NOBODY':
        return await this.#awaitWord();
    }
  }

  /** Nothing keeps a mail going that nobody needs any more. */
  async endMails(): Promise<void> {
    this.#mail.cancel();
    await Promise.all(this.#mailed);
  }

  /**
   * Waits for the end of the window, on the way for the time of the reminder. A run that begins after that
   * time reminds nobody: the one before may have.
   */
  async #awaitClaim(): Promise<void> {
    const { claimExpiresAt } = this.#current;
    const remindAtMs = reminderAtMs(this.#current) ?? 0;
    const isToRemind =
      remindAtMs > workflowInfo().runStartTime.getTime() && this.#reminded !== claimExpiresAt;
    const waitMs = isToRemind ? remindAtMs - Date.now() : windowMs(this.#current);
    const isInTime = await condition(
      () => this.isWoken || workflowInfo().continueAsNewSuggested,
      Math.max(1, waitMs),
      { summary: `the customer may claim until ${claimExpiresAt}` },
    );
    if (isInTime) return;
    if (isToRemind) {
      this.#reminded = claimExpiresAt;
      if (windowMs(this.#current) > 0) return this.#remind();
    }
    this.#show(await atOnce('the claim window is over').endWindow(this.#ref, now()));
  }

  #remind(): void {
    const unclaimed = this.#current;
    this.#tell('the customer', async () => {
      await mails().sendReminder(unclaimed);
    });
  }

  async #awaitDecision(): Promise<void> {
    await this.#askAdmins();
    const asked = this.#asked;
    await condition(
      () => this.isWoken || this.#asked !== asked || workflowInfo().continueAsNewSuggested,
    );
  }

  /**
   * What was to be carried out could not be seen to be: the sweep says when there is more to see. Or the
   * customer is still being told of it.
   */
  async #awaitWord(): Promise<void> {
    const wasTelling = this.#isTellingTakenBack;
    await condition(() => this.isWoken || this.#isTellingTakenBack !== wasTelling);
  }

  /**
   * Puts the reward's review before the admins, unless it is before them already. That is awaited before
   * anything else goes on: a signal that comes while a local activity runs may, when the history is
   * replayed, come together with its end, so that nothing may follow from the two in either order.
   */
  async #askAdmins(): Promise<void> {
    const reward = this.#current;
    const { review } = reward;
    if (review === null) throw new Error('a reward in review has a review');
    if (this.#asked?.reviewId === review.reviewId) return;
    this.#asked = review;
    // Apart from the wait, whose task may be lost: nobody would miss it until the review is due.
    const open = () => atOnce('put the review before the admins').openReview(reward, review);
    const isOpenedFirst = patched('open the review before anything else goes on');
    const failure: unknown = isOpenedFirst
      ? await open().then(
          () => null,
          (error) => error,
        )
      : null;
    const ask = async () => {
      try {
        if (failure) throw failure;
        if (!isOpenedFirst) await open();
        await admins(review).adminReview(reward, review);
        this.#reviewFailure = undefined;
        this.#wokenBy.add('decided');
      } catch (error) {
        if (this.#asked !== review) return;
        const reason = error instanceof Error ? (error.cause ?? error) : error;
        log.warn('the review failed; it is asked for again', { reviewId: review.reviewId, reason });
        this.#reviewFailure = String(reason);
        this.#describe();
        await sleep(reviewPauseMs, { summary: 'before the review is asked for again' });
        if (this.#asked === review) this.#asked = undefined;
      }
    };
    void new CancellationScope().run(ask);
  }

  #tellPartner(news: News): void {
    const reward = this.#current;
    this.#tell('the partner', async () => {
      await mails().mailPartner(reward, news);
      this.untold.news = null;
    });
  }

  #tellTakenBack(): void {
    const reward = this.#current;
    this.#isTellingTakenBack = true;
    this.#tell('the customer', async () => {
      try {
        await tellTakenBack(reward);
      } finally {
        this.#isTellingTakenBack = false;
      }
    });
  }

  /** A message that never arrives keeps no reward from its course. */
  #tell(whom: string, send: () => Promise<void>): void {
    const sent = this.#mail.run(send).catch((error: unknown) => {
      if (!isCancellation(error)) log.warn(`${whom} was not told`);
    });
    this.#mailed.push(sent);
  }

  #show(next: RewardSnapshot): void {
    if (next.status !== this.#shownStatus) {
      upsertSearchAttributes([{ key: rewardStatusKey, value: next.status }]);
    }
    this.#shownStatus = next.status;
    const before = this.#reward;
    this.#reward = next;
    // Of a run that begins with it, the one before told.
    const isTakenBack = before?.status !== 'CANCELLED' && wasTakenBack(next);
    if (before && isTakenBack && patched('tell of points taken back')) this.#tellTakenBack();
    if (next.status !== 'ADMIN_REVIEW') {
      this.#asked = undefined;
      this.#reviewFailure = undefined;
    }
    this.#describe();
  }

  /** The current details, in the Temporal UI. */
  #describe(): void {
    const { rewardId, mode, points, externalOrderId, status } = this.#current;
    const order = externalOrderId.replace(/[`\r\n]/g, ' ');
    const failure = this.#reviewFailure
      ? `\n\nThe review failed (${this.#reviewFailure}); it is asked for again.`
      : '';
    setCurrentDetails(
      `**${status}** · ${mode} · ${points} points · ${rewardId} · order \`${order}\`\n\nWaiting for ${describeWait(this.#current)}.${failure}`,
    );
  }
}

/** Sends the claim link with patience; where that is in vain, the event's page says so. */
async function tellCustomer(reward: RewardSnapshot, channel: Channel): Promise<void> {
  try {
    await mails().sendClaimLink(reward, channel);
  } catch (error) {
    if (isCancellation(error)) throw error;
    await atOnce('note that the customer was not told').noteUntold(reward, channel, now());
  }
}

/** The same of points that were taken back, by email, else by text message. */
async function tellTakenBack(reward: RewardSnapshot): Promise<void> {
  for (const channel of channels) {
    try {
      if ((await mails().sendTakenBack(reward, channel)) !== 'NOBODY') return;
    } catch (error) {
      if (isCancellation(error)) throw error;
      return await atOnce('note that the customer was not told').noteUntold(reward, channel, now());
    }
  }
}

/** A claimed reward ends by a review alone, which was upheld; an unclaimed one has none. */
const wasTakenBack = ({ status, review }: RewardSnapshot): boolean =>
  status === 'CANCELLED' && review !== null;

function isClaimWindowRunning(reward: RewardSnapshot): boolean {
  const waiting = waitingFor(reward);
  return waiting === 'CUSTOMER' || waiting === 'FUNDS';
}

/** What is awaited, in the words an operator reads. */
function describeWait(reward: RewardSnapshot | undefined): string {
  if (reward === undefined) return 'the reward to be created';
  switch (waitingFor(reward)) {
    case 'CUSTOMER':
      return reward.funded
        ? `the customer's claim, until ${reward.claimExpiresAt}`
        : 'the accounting';
    case 'FUNDS':
      return 'the partner to top up';
    case 'ADMIN':
      return "an admin's decision";
    case 'NOBODY':
      return 'nothing';
  }
}

const isOldNews = (at: string): boolean => Date.now() - Date.parse(at) > mailPatienceMs;

/** Milliseconds until the claim window ends; none or less once it is over. */
function windowMs({ claimExpiresAt }: RewardSnapshot): number {
  return Date.parse(claimExpiresAt) - Date.now();
}

/** Workflow time, ISO 8601: the same when an activity is repeated and when a history is replayed. */
function now(): string {
  return new Date(Date.now()).toISOString();
}
