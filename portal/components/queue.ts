import type { QueuePlace, QueueView, WaitingOrder } from '../../views/queue.ts';
import { confirm, type FormContext } from './form.ts';
import { type Html, html, moneyText, nothing } from './format.ts';

/** How a page names the orders of a queue, in its currency. */
export interface QueueWords {
  currency: string;
  /** The page of the order of a reward. */
  pathOf: (rewardId: string) => string;
}

const orderLink = (
  { rewardId, externalOrderId }: Pick<WaitingOrder, 'rewardId' | 'externalOrderId'>,
  { pathOf }: QueueWords,
): Html => html`<a href="${pathOf(rewardId)}">${externalOrderId}</a>`;

/** Which order holds the queue, what is missing for it, and which let the others pass. */
export function queueWords({ holder, passed }: QueueView, words: QueueWords): Html {
  const { currency } = words;
  const held =
    holder === null
      ? nothing
      : html` Order ${orderLink(holder, words)} holds the queue: its reward costs ${moneyText(holder.liabilityCents, currency)}, and ${moneyText(holder.missingCents, currency)} is missing for it.`;
  const letting = passed.map(
    (one, place) =>
      html`${place > 0 ? ', ' : nothing}${orderLink(one, words)} (${moneyText(one.liabilityCents, currency)})`,
  );
  return html`${held}${passed.length === 0 ? nothing : html` Let the others pass, and keep their place: ${letting}.`}`;
}

/** Why one order waits, and what is missing for it. */
export function placeWords(
  reward: { _id: string; liabilityCents: number },
  place: QueuePlace,
  words: QueueWords,
): Html {
  const { currency } = words;
  const { holder, isPassed, availableCents } = place;
  const missing = moneyText(place.missingCents, currency);
  const cost = html`The reward costs ${moneyText(reward.liabilityCents, currency)}, and ${moneyText(availableCents, currency)} is available`;
  if (isPassed)
    return html`${cost}: ${missing} is missing. It lets the others pass, and keeps its place: what arrives is offered to it first.`;
  if (holder === null || holder.rewardId === reward._id) {
    return html`${cost}: ${missing} is missing. It holds the queue: later orders wait until it is funded, or lets them pass.`;
  }
  return html`${cost}, but order ${orderLink(holder, words)} came before and holds the queue. ${missing} is missing until this one is funded.`;
}

/** Lets the others pass a reward, after a confirmation. */
export const letPassButton = (
  ctx: FormContext,
  { action, externalOrderId }: { action: string; externalOrderId: string },
): Html =>
  confirm(ctx, {
    ask: 'Let the others pass …',
    question: `Orders behind ${externalOrderId} no longer wait for it: they are funded from what is available. ${externalOrderId} keeps its place, and what arrives is offered to it first. This lasts until it is funded.`,
    action,
    submit: 'Let the others pass',
    isDangerous: false,
  });

/** Ends a hold early, after a confirmation. */
export const endHoldButton = (ctx: FormContext, action: string): Html =>
  confirm(ctx, {
    ask: 'End the hold …',
    question:
      'The customer gets the claim link now, and the claim window begins. A refund after the claim needs a review. This cannot be undone.',
    action,
    submit: 'End the hold',
    isDangerous: false,
  });
