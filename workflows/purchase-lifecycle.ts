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
import type { FundingNotice, StepInput, StepResult } from '../activities/purchases.ts';
import type { PurchaseRef } from '../domain/purchase.ts';
import type { ReviewRef } from '../domain/review.ts';
import {
  type RewardSnapshot,
  type RewardStatus,
  reminderAtMs,
  waitingFor,
} from '../domain/reward.ts';
import type { PurchaseSignal } from '../domain/workflow-names.ts';
import { rewardStatusKey, stateQuery, wakingSignals } from './messages.ts';
import { besideSteps, localStep, mails, operators } from './purchase-steps.ts';

/** What a run passes to the run that continues it as new. */
export interface CarriedOver {
  /** ISO 8601, the end of the claim window that the customer was sent. */
  offeredUntil: string | null;
  fundingNotice: FundingNotice | null;
}

/** The pause before a failed review activity is started again. */
const reviewPauseMs = 10_000;
/** Ends one workflow task and starts another. */
const shortestTimerMs = 1;

/**
 * The state of a purchase's workflow, and its steps. Signals only say that there is something to
 * read.
 *
 * In a series of steps, each a local activity, every step depends only on the results of those
 * before it: when the history is replayed, a signal that arrived during the series may appear
 * before all of it (docs/decisions/005). That is why every series but the first begins with the
 * same step, whatever woke the workflow, and why what runs concurrently, retried messages and the
 * review, continues only after a series has ended.
 */
export class PurchaseLifecycle {
  readonly #ref: PurchaseRef;
  readonly #isContinued: boolean;
  readonly carriedOver: CarriedOver;
  #reward: RewardSnapshot | undefined;
  #shownStatus = workflowInfo().typedSearchAttributes.get(rewardStatusKey);
  readonly #wokenBy = new Set<PurchaseSignal>();
  #isWindowOver = false;
  /** Whether stored changes were carried out since the run began. */
  #hasLooked = false;
  /** Concurrent work that waits for the end of the current series of steps. */
  readonly #turns: (() => void)[] = [];
  /** The review that operators are deciding. */
  #openReview: ReviewRef | undefined;
  #reviewFailure: string | undefined;
  /** The end of the claim window in the claim link that was sent or is being sent. */
  #offering: string | undefined;
  /** The end of the claim window for which a reminder was sent. */
  #reminded: string | undefined;
  #isNotifyingTakenBack = false;
  readonly #mail = new CancellationScope();
  readonly #mailed: Promise<void>[] = [];

  constructor(ref: PurchaseRef, carriedOver?: CarriedOver) {
    this.#ref = ref;
    this.#isContinued = carriedOver !== undefined;
    this.carriedOver = carriedOver ?? { offeredUntil: null, fundingNotice: null };
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

  /** Whether a signal has arrived that was not handled yet. */
  get isWoken(): boolean {
    return this.#wokenBy.size > 0;
  }

  /**
   * Whether the notification that points were taken back is being sent. A continued run would not
   * send it.
   */
  get isNotifyingTakenBack(): boolean {
    return this.#isNotifyingTakenBack;
  }

  /** Whether the workflow can close: it waits for nothing, and everything is carried out. */
  get isOver(): boolean {
    return (
      !this.isWoken &&
      !this.#isNotifyingTakenBack &&
      !this.#current.isPending &&
      waitingFor(this.#current) === 'NOBODY'
    );
  }

  get #current(): RewardSnapshot {
    if (this.#reward === undefined) throw new Error('the purchase has not begun');
    return this.#reward;
  }

  /**
   * Creates the reward, reserves its money, offers it to the customer, and notifies the partner if
   * funds are short.
   */
  async begin(): Promise<void> {
    const begin = localStep('create the reward, reserve its money and send the claim link');
    const { fundingNotice, ...done } = await begin.beginPurchase(this.#ref, this.#stepInput);
    this.#show(done.reward);
    // A continued run sends no email twice.
    if (!this.#isContinued) this.carriedOver.fundingNotice = fundingNotice;
    if (this.carriedOver.fundingNotice) this.#mailPartner(this.carriedOver.fundingNotice);
    this.#offer(done);
  }

  get #stepInput(): StepInput {
    return { at: now(), offeredUntil: this.#offering ?? this.carriedOver.offeredUntil };
  }

  /** Carries out what an earlier run left pending. */
  async finish(): Promise<void> {
    if (this.#current.isPending) await this.#look('left by an earlier run');
  }

  /**
   * If a signal arrived or the claim window is over, carries out pending moves in order and expires
   * the reward if its window is over.
   */
  async lookIfWoken(): Promise<void> {
    const woken = [...this.#wokenBy].join(', ');
    if (woken || this.#isWindowOver) await this.#look(woken || 'the claim window is over');
    this.#isWindowOver = false;
  }

  async #look(why: string): Promise<void> {
    this.#hasLooked = true;
    const step = localStep(`carry out what is pending: ${why}`);
    const done = await step.carryOut(this.#ref, this.#stepInput);
    this.#show(done.reward);
    this.#offer(done);
  }

  /**
   * Ends a series of steps. Signals that arrived during it must not affect what comes next, so they
   * are discarded: either `carryOut` saw what they were about, or it is still pending and the sweep
   * signals again. Only if `carryOut` has not run since the run began is it run next, in a workflow
   * task of its own.
   */
  async endSteps(): Promise<void> {
    if (this.#hasLooked) this.#wokenBy.clear();
    else if (this.isWoken) {
      await sleep(shortestTimerMs, { summary: 'before signals are handled' });
    }
    this.#hasLooked = true;
    this.#giveTurns();
  }

  /** Resolves once no series of steps is running. */
  async #turn(): Promise<void> {
    if (this.#mail.consideredCancelled) return;
    await new Promise<void>((resolve) => this.#turns.push(resolve));
  }

  #giveTurns(): void {
    for (const go of this.#turns.splice(0)) go();
  }

  /** Retries the claim link if it could not be sent at once. */
  #offer({ reward, isUnsent }: StepResult): void {
    if (isUnsent === null) return;
    const { claimExpiresAt } = reward;
    this.#offering = claimExpiresAt;
    const noteOffered = () => {
      this.carriedOver.offeredUntil = claimExpiresAt;
    };
    const sendLater = async () => {
      await this.#sendToCustomer(reward, () => mails().sendClaimLink(reward));
      noteOffered();
    };
    if (isUnsent) this.#send('the customer', sendLater);
    else noteOffered();
  }

  /** Waits for whatever the reward is waiting for. */
  async awaitNext(): Promise<void> {
    switch (waitingFor(this.#current)) {
      case 'CUSTOMER':
      case 'FUNDS':
        return await this.#awaitClaim();
      case 'OPERATOR':
        return await this.#awaitDecision();
      case 'NOBODY':
        return await this.#awaitWord();
    }
  }

  /** Cancels messages that are no longer needed. */
  async endMails(): Promise<void> {
    this.#mail.cancel();
    this.#giveTurns();
    await Promise.all(this.#mailed);
  }

  get #isStirred(): boolean {
    return this.isWoken || this.#turns.length > 0;
  }

  /**
   * Waits for the end of the claim window, or first for the reminder. A run that begins after the
   * time of the reminder sends none, since the run before may have.
   */
  async #awaitClaim(): Promise<void> {
    const { claimExpiresAt } = this.#current;
    const remindAtMs = reminderAtMs(this.#current) ?? 0;
    const isToRemind =
      remindAtMs > workflowInfo().runStartTime.getTime() && this.#reminded !== claimExpiresAt;
    const waitMs = isToRemind ? remindAtMs - Date.now() : windowMs(this.#current);
    const isInTime = await condition(
      () => this.#isStirred || workflowInfo().continueAsNewSuggested,
      Math.max(1, waitMs),
      { summary: `the customer can claim until ${claimExpiresAt}` },
    );
    // If a signal and the timer come together, the signal wins, whichever ended the wait.
    if (isInTime || this.#isStirred) return;
    if (isToRemind) {
      this.#reminded = claimExpiresAt;
      if (windowMs(this.#current) > 0) return this.#remind();
    }
    this.#isWindowOver = true;
  }

  #remind(): void {
    const unclaimed = this.#current;
    this.#send('the customer', async () => {
      await mails().sendReminder(unclaimed);
    });
  }

  async #awaitDecision(): Promise<void> {
    await condition(() => this.#isStirred || workflowInfo().continueAsNewSuggested);
  }

  /**
   * Waits until the sweep signals something pending that is not visible yet, or until the customer
   * has been notified.
   */
  async #awaitWord(): Promise<void> {
    const wasNotifying = this.#isNotifyingTakenBack;
    await condition(() => this.#isStirred || this.#isNotifyingTakenBack !== wasNotifying);
  }

  /** Has operators decide the reward's review, unless they were asked already. */
  async askOperators(): Promise<void> {
    const reward = this.#current;
    const { review } = reward;
    if (waitingFor(reward) !== 'OPERATOR') return;
    if (review === null) throw new Error('the reward is in review but has no review');
    if (this.#openReview?.reviewId === review.reviewId) return;
    this.#openReview = review;
    // Separate from the wait, whose task could be lost: nobody would notice until the review is
    // overdue.
    const open = () => localStep('open the review').openReview(reward, review);
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
        await operators(review).adminReview(reward, review);
        this.#reviewFailure = undefined;
        this.#wokenBy.add('decided');
      } catch (error) {
        if (this.#openReview !== review) return;
        const reason = error instanceof Error ? (error.cause ?? error) : error;
        log.warn('the review failed; it is requested again', {
          reviewId: review.reviewId,
          reason,
        });
        this.#reviewFailure = String(reason);
        this.#describe();
        await this.#turn();
        await sleep(reviewPauseMs, { summary: 'before the review is requested again' });
        if (this.#openReview !== review) return;
        this.#openReview = undefined;
        this.#wokenBy.add('decided');
      }
    };
    void new CancellationScope().run(ask);
  }

  #mailPartner(fundingNotice: FundingNotice): void {
    const reward = this.#current;
    this.#send('the partner', async () => {
      await mails().mailPartner(reward, fundingNotice);
      this.carriedOver.fundingNotice = null;
    });
  }

  #notifyTakenBack(): void {
    const reward = this.#current;
    this.#isNotifyingTakenBack = true;
    this.#send('the customer', async () => {
      try {
        await this.#sendToCustomer(reward, () => mails().sendTakenBack(reward));
      } finally {
        this.#isNotifyingTakenBack = false;
      }
    });
  }

  /** Sends a message, retrying for days. If that fails, the event's page shows it. */
  async #sendToCustomer(reward: RewardSnapshot, send: () => Promise<unknown>): Promise<void> {
    try {
      await send();
    } catch (error) {
      if (isCancellation(error)) throw error;
      await this.#turn();
      const { noteUndelivered } = besideSteps('record that the customer could not be reached');
      await noteUndelivered(reward, now());
    }
  }

  /** Sends a message concurrently: one that cannot be sent must not hold up the reward. */
  #send(whom: string, send: () => Promise<void>): void {
    const sent = this.#mail.run(send).catch((error: unknown) => {
      if (!isCancellation(error)) log.warn(`${whom} could not be reached`);
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
    // If a run begins in this state, the previous run has notified the customer.
    const isTakenBack = before?.status !== 'CANCELLED' && wasTakenBack(next);
    if (before && isTakenBack && patched('tell of points taken back')) this.#notifyTakenBack();
    if (next.status !== 'ADMIN_REVIEW') {
      this.#openReview = undefined;
      this.#reviewFailure = undefined;
    }
    this.#describe();
  }

  /** Sets the current details, shown in the Temporal UI. */
  #describe(): void {
    const { rewardId, mode, points, externalOrderId, status } = this.#current;
    const order = externalOrderId.replace(/[`\r\n]/g, ' ');
    const failure = this.#reviewFailure
      ? `\n\nThe review failed (${this.#reviewFailure}); it is requested again.`
      : '';
    setCurrentDetails(
      `**${status}** · ${mode} · ${points} points · ${rewardId} · order \`${order}\`\n\nWaiting for ${describeWait(this.#current)}.${failure}`,
    );
  }
}

/** Only a review that was upheld cancels a claimed reward; an unclaimed one has no review. */
const wasTakenBack = ({ status, review }: RewardSnapshot): boolean =>
  status === 'CANCELLED' && review !== null;

/** What the reward waits for, for operators. */
function describeWait(reward: RewardSnapshot | undefined): string {
  if (reward === undefined) return 'the reward to be created and funded';
  switch (waitingFor(reward)) {
    case 'CUSTOMER':
      return reward.funded ? `the customer's claim, until ${reward.claimExpiresAt}` : 'its funding';
    case 'FUNDS':
      return 'the partner to top up';
    case 'OPERATOR':
      return "an operator's decision";
    case 'NOBODY':
      return 'nothing';
  }
}

/** Milliseconds until the claim window ends; zero or less once it is over. */
function windowMs({ claimExpiresAt }: RewardSnapshot): number {
  return Date.parse(claimExpiresAt) - Date.now();
}

/** Workflow time, ISO 8601, which is the same when an activity is retried or a history replayed. */
function now(): string {
  return new Date(Date.now()).toISOString();
}
