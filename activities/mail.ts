import { claimUrlOf } from '../domain/delivery.ts';
import type { Mode } from '../domain/mode.ts';
import { formatCents } from '../domain/money.ts';
import type { SealedPurchase } from '../domain/purchase.ts';
import type { RewardSnapshot } from '../domain/reward.ts';
import type { SendMail } from '../messaging/mailer.ts';
import { dataKeyIdOf, openUnder } from '../models/store/data-keys.ts';
import {
  createFindOfPartner,
  createFindPartner,
  type Events,
} from '../models/store/find-together.ts';
import type { ActivityDeps } from './deps.ts';

/** What was done about a claim link. */
type Told = 'SENT' | 'NO_EMAIL' | 'PARTNER_DELIVERS';

/** What a subject begins with, so that nobody takes a TEST mail for a real one. */
const marked = (mode: Mode): string => (mode === 'TEST' ? '[TEST] ' : '');

export function mailActivities(
  { models, sealer, sendMail, sendMailAtOnce, portalUrl }: ActivityDeps,
  events: Pick<Events, 'find'>,
) {
  const findPartner = createFindPartner(models);
  const findKey = createFindOfPartner(models.dataKeys);

  return {
    /**
     * Sends the customer the link that claims the reward. TEST reaches no stranger, whose address anyone
     * may have typed (docs/domain.md, Who may do what): such a mail goes to the partner's own contact, or
     * stays in the outbox.
     * @returns what was done; the partner delivers the link where its integration says so; a customer known by phone alone has no address to write to, and one who
     *   was erased none any more
     */
    async sendClaimLink(reward: RewardSnapshot): Promise<Told> {
      return await claimLink(reward, sendMail);
    },

    /**
     * The same, tried once: a mail server that did not answer lately is not asked.
     * @returns whether nothing is left to do
     */
    async tryClaimLink(reward: RewardSnapshot): Promise<boolean> {
      try {
        await claimLink(reward, sendMailAtOnce);
        return true;
      } catch {
        return false;
      }
    },

    /** Tells the partner that funds are short, or running low. */
    async mailPartner(
      { rewardId, partnerId, mode }: RewardSnapshot,
      {
        missingCents,
        lowBalanceCents,
      }: { missingCents: number | null; lowBalanceCents: number | null },
    ): Promise<'SENT' | 'NO_EMAIL'> {
      const partner = await models.partners.findById(partnerId).lean().orFail();
      if (partner.contactEmail === null) return 'NO_EMAIL';
      const money = (cents: number) => `${formatCents(cents)} ${partner.currency}`;
      await sendMail(
        missingCents === null
          ? {
              id: `low-balance-${rewardId}`,
              to: partner.contactEmail,
              subject: `${marked(mode)}Your reward funding is down to ${money(lowBalanceCents ?? 0)}`,
              text: `Your reward funding has fallen below ${money(partner.lowBalanceThresholdCents)}. Top it up so that rewards continue to be funded at once.`,
            }
          : {
              id: `awaiting-funding-${rewardId}`,
              to: partner.contactEmail,
              subject: `A ${mode} reward is waiting for funding: ${money(missingCents)} is missing`,
              text: `The funding does not cover reward ${rewardId}: ${money(missingCents)} is missing. Once you top up, it is funded and the customer can claim it. Rewards are funded in the order in which they came, so those after it are waiting too.`,
            },
      );
      return 'SENT';
    },
  };

  async function claimLink(reward: RewardSnapshot, send: SendMail): Promise<Told> {
    const { partnerId, purchaseEventId, rewardId, mode, points, claimExpiresAt } = reward;
    const [event, partner] = await Promise.all([
      events.find(partnerId, purchaseEventId),
      findPartner(partnerId),
    ]);
    if (event.purchase?.delivery === 'PARTNER') return 'PARTNER_DELIVERS';
    const dataKeyId = dataKeyIdOf(event);
    const key = await findKey(partnerId, dataKeyId);
    const opened = openUnder(sealer, key, { ...event, context: purchaseEventId });
    if (opened === null) return 'NO_EMAIL';
    const { email, claimToken }: SealedPurchase = JSON.parse(opened);
    if (email === null) return 'NO_EMAIL';
    await send({
      id: rewardId,
      dataKeyId,
      ...(mode === 'TEST' && partner.contactEmail === null && { staysInOutbox: true }),
      to: mode === 'TEST' ? (partner.contactEmail ?? email) : email,
      subject: `${marked(mode)}${points} points from ${partner.name} are waiting for you`,
      text: [
        `Thank you for your purchase at ${partner.name}.`,
        `It earned you ${points} points.`,
        '',
        `Claim them until ${new Date(claimExpiresAt).toUTCString()}:`,
        claimUrlOf(portalUrl, claimToken),
        '',
        'Keep this link to yourself: whoever has it can claim the points.',
      ].join('\n'),
    });
    return 'SENT';
  }
}
