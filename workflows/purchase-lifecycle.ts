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
import {
  besideSteps,
  localStep,
  mailPatienceMs,
  mails,
  operators,
  tryClaimLink,
} from './purchase-steps.ts';

/** What the partner is mailed about the accounting. */
type FundingNotice = Pick<Accounted, 'missingCents' | 'lowBalanceCents'>;

/** What a run hands to the one that continues it. */
export interface CarriedOver {
  /** ISO 8601, the end of the claim window that the customer knows of. */
  offeredUntil: string | null;
  fundingNotice: FundingNotice | null;
}

/** A review that fails is asked for again, but only after a pause. */
const reviewPauseMs = 10_000;
/** Ends one workflow task and begins another. */
const shortestTimerMs = 1;

/**
 * The state of a purchase, and what its workflow does about it, step by step. Signals only say that there is
 * something to look at.
 *
 * A series of steps, each a local activity, follows from their results alone: what comes while one runs may,
 * when the history is replayed, have come before all of them (docs/decisions/005). So each series but the
 * first begins with the same step, whatever woke the workflow; and what goes on beside it, the
 * messages and the review, asks for more only once a series has ended.
 */
export class PurchaseLifecycle {
  readonly #ref: PurchaseRef;
  readonly #isContinued: boolean;
  readonly carriedOver: CarriedOver;
  #reward: RewardSnapshot | undefined;
  #shownStatus = workflowInfo().typedSearchAttributes.get(rewardStatusKey);
  readonly #wokenBy = new Set<PurchaseSignal>();
  #isWindowOver = false;
  /** Whether a look was taken since the run began. */
  #hasLooked = false;
  /** What goes on beside the steps, and waits for their end to ask for more. */
  readonly #turns: (() => void)[] = [];
  /** The review that is before the operators. */
  #openReview: ReviewRef | undefined;
  #reviewFailure: string | undefined;
  /** The end of the claim window that the customer was sent, or is being sent. */
  #offering: string | undefined;
  /** The end of the claim window that the customer was reminded of. */
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

  /** Whether something happened that was not looked at. */
  get isWoken(): boolean {
    return this.#wokenBy.size > 0;
  }

  /** Whether the customer is being notified that points were taken back: a run that continues this one will not do it. */
  get isNotifyingTakenBack(): boolean {
    return this.#isNotifyingTakenBack;
  }

  /** Nobody is waited for, and everything decided by the last look is carried out. */
  get isOver(): boolean {
    return (
      !this.isWoken &&
      !this.#isNotifyingTakenBack &&
      !this.#current.isPending &&
      waitingFor(this.#current) === 'NOBODY'
    );
  }

  get #current(): RewardSnapshot {
    if (this.#reward === undefined) throw new Error('the purchase has begun by now');
    return this.#reward;
  }

  async begin(): Promise<void> {
    this.#show(await localStep('create the reward').beginPurchase(this.#ref));
  }

  /** Puts money behind the reward, and tells the partner where that is short. */
  async account(): Promise<void> {
    if (!isClaimWindowRunning(this.#current)) return;
    const { reward, missingCents, lowBalanceCents, decidedAt } = await localStep(
      'put money behind the reward',
    ).accountReward(this.#current, now());
    // A purchase that was refunded while its money was reserved is to be looked at again.
    this.#show({ ...reward, isPending: reward.isPending || this.#current.isPending });
    const isNoticeDue = missingCents !== null || lowBalanceCents !== null;
    // A run that continues another mails nobody twice; one that begins anew, because the one before was
    // lost, mails what may not have been sent.
    if (!this.#isContinued && isNoticeDue && !isTooOld(decidedAt)) {
      this.carriedOver.fundingNotice = { missingCents, lowBalanceCents };
    }
    if (this.carriedOver.fundingNotice) this.#mailPartner(this.carriedOver.fundingNotice);
  }

  /** Carries out what an earlier run left unfinished. */
  async finish(): Promise<void> {
    if (this.#current.isPending) await this.#look('left by an earlier run');
  }

  /** Carries out what is unfinished, in the order of the moves, and ends the claim window where it is over. */
  async lookIfWoken(): Promise<void> {
    const woken = [...this.#wokenBy].join(', ');
    if (woken || this.#isWindowOver) await this.#look(woken || 'the claim window is over');
    this.#isWindowOver = false;
  }

  async #look(why: string): Promise<void> {
    this.#hasLooked = true;
    this.#show(await localStep(`carry out what is unfinished: ${why}`).carryOut(this.#ref, now()));
  }

  /**
   * Ends a series of steps. Nothing may follow here from what came while they ran, so it is forgotten: the
   * look saw it, or its mark stays and the sweep signals again. Only if nothing was looked at since the run
   * began, that is done next, in a workflow task of its own.
   */
  async endSteps(): Promise<void> {
    if (this.#hasLooked) this.#wokenBy.clear();
    else if (this.isWoken) {
      await sleep(shortestTimerMs, { summary: 'before what came is looked at' });
    }
    this.#hasLooked = true;
    this.#giveTurns();
  }

  /** Settles once no step runs. */
  async #turn(): Promise<void> {
    if (this.#mail.consideredCancelled) return;
    await new Promise<void>((resolve) => this.#turns.push(resolve));
  }

  #giveTurns(): void {
    for (const go of this.#turns.splice(0)) go();
  }

  /** The reward can be claimed: the customer gets the link, at once if possible, otherwise by retries. */
  async offer(): Promise<void> {
    const claimable = this.#current;
    const { status, fundedAt, claimExpiresAt } = claimable;
    const isOffered = [this.carriedOver.offeredUntil, this.#offering].includes(claimExpiresAt);
    if (status !== 'PENDING' || fundedAt === null || isOffered || isTooOld(fundedAt)) return;
    // Begun so late that the window is over, there is nothing to offer.
    if (windowMs(claimable) <= 0) return;
    this.#offering = claimExpiresAt;
    const noteOffered = () => {
      this.carriedOver.offeredUntil = claimExpiresAt;
    };
    const left = await tryClaimLink(claimable).catch(() => channels);
    if (left.length === 0) return noteOffered();
    this.#send('the customer', async () => {
      await Promise.all(left.map((channel) => this.#sendClaimLink(claimable, channel)));
      noteOffered();
    });
  }

  /** What the reward waits for decides what its workflow waits for. */
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

  /** Cancels the mails that are no longer needed. */
  async endMails(): Promise<void> {
    this.#mail.cancel();
    this.#giveTurns();
    await Promise.all(this.#mailed);
  }

  get #isStirred(): boolean {
    return this.isWoken || this.#turns.length > 0;
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
      () => this.#isStirred || workflowInfo().continueAsNewSuggested,
      Math.max(1, waitMs),
      { summary: `the customer may claim until ${claimExpiresAt}` },
    );
    // Of a signal and a timer that come together the signal is first, whichever ended the wait.
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
   * Something that was to be carried out is not visible yet: the sweep signals when it is. Or the customer is
   * still being notified.
   */
  async #awaitWord(): Promise<void> {
    const wasNotifying = this.#isNotifyingTakenBack;
    await condition(() => this.#isStirred || this.#isNotifyingTakenBack !== wasNotifying);
  }

  /** Puts the reward's review before the operators, unless it is before them already. */
  async askOperators(): Promise<void> {
    const reward = this.#current;
    const { review } = reward;
    if (waitingFor(reward) !== 'OPERATOR') return;
    if (review === null) throw new Error('a reward in review has a review');
    if (this.#openReview?.reviewId === review.reviewId) return;
    this.#openReview = review;
    // Apart from the wait, whose task may be lost: nobody would miss it until the review is due.
    const open = () => localStep('put the review before the operators').openReview(reward, review);
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
        log.warn('the review failed; it is asked for again', {
          reviewId: review.reviewId,
          reason,
        });
        this.#reviewFailure = String(reason);
        this.#describe();
        await this.#turn();
        await sleep(reviewPauseMs, { summary: 'before the review is asked for again' });
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
        await this.#sendTakenBackNotice(reward);
      } finally {
        this.#isNotifyingTakenBack = false;
      }
    });
  }

  /** Sends the claim link, retrying for days; if that fails, the event's page says so. */
  async #sendClaimLink(reward: RewardSnapshot, channel: Channel): Promise<void> {
    try {
      await mails().sendClaimLink(reward, channel);
    } catch (error) {
      await this.#noteUndelivered(reward, channel, error);
    }
  }

  /** Notifies the customer that points were taken back, by email, else by text message. */
  async #sendTakenBackNotice(reward: RewardSnapshot): Promise<void> {
    for (const channel of channels) {
      try {
        if ((await mails().sendTakenBack(reward, channel)) !== 'NOBODY') return;
      } catch (error) {
        return await this.#noteUndelivered(reward, channel, error);
      }
      await this.#turn();
    }
  }

  async #noteUndelivered(reward: RewardSnapshot, channel: Channel, error: unknown): Promise<void> {
    if (isCancellation(error)) throw error;
    await this.#turn();
    const { noteUndelivered } = besideSteps('note that the customer was not reached');
    await noteUndelivered(reward, channel, now());
  }

  /** A message that cannot be sent does not hold up the reward. */
  #send(whom: string, send: () => Promise<void>): void {
    const sent = this.#mail.run(send).catch((error: unknown) => {
      if (!isCancellation(error)) log.warn(`${whom} was not reached`);
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
    // If a run begins with it, the run before has notified the customer.
    const isTakenBack = before?.status !== 'CANCELLED' && wasTakenBack(next);
    if (before && isTakenBack && patched('tell of points taken back')) this.#notifyTakenBack();
    if (next.status !== 'ADMIN_REVIEW') {
      this.#openReview = undefined;
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
    case 'OPERATOR':
      return "an operator's decision";
    case 'NOBODY':
      return 'nothing';
  }
}

const isTooOld = (at: string): boolean => Date.now() - Date.parse(at) > mailPatienceMs;

/** Milliseconds until the claim window ends; none or less once it is over. */
function windowMs({ claimExpiresAt }: RewardSnapshot): number {
  return Date.parse(claimExpiresAt) - Date.now();
}

/** Workflow time, ISO 8601: the same when an activity is repeated and when a history is replayed. */
function now(): string {
  return new Date(Date.now()).toISOString();
}
