import { randomUUID } from 'node:crypto';
import { MedusaError, MedusaService } from '@medusajs/framework/utils';
import {
  type CallOptions,
  ConnectionError,
  PartnerApiError,
  PartnerClient,
  UnavailableError,
  verifyWebhook,
  type WebhookEvent,
  type WebhookHeaders,
} from 'partner-events';
import type { ReportWhen } from '../../order-state';
import { Purchase } from './models/purchase';
import { Redemption } from './models/redemption';
import { Setting } from './models/setting';
import { Quotes } from './quotes';
import { open, readSealingKey, seal } from './seal';

export type Mode = 'TEST' | 'LIVE';

export interface Settings {
  isEnabled: boolean;
  mode: Mode;
  apiUrl: string;
  apiKey: string;
  reportWhen: ReportWhen;
  reportsSince: Date;
  hasWebhookSecret: boolean;
}

/** What an operator of the shop enters. Without one of the secrets, the stored one stays. */
export interface SettingsInput {
  is_enabled: boolean;
  mode: Mode;
  api_url: string;
  api_key: string;
  report_when: ReportWhen;
  secret?: string | undefined;
  webhook_secret?: string | undefined;
}

/** A purchase as it is stored before it is sent. */
export interface PurchaseRecord {
  order_id: string;
  mode: Mode;
  email: string;
  currency: string;
  subtotal_cents: number;
  occurred_at: string;
}

export interface Hold {
  cart_id: string;
  mode: Mode;
  email: string;
  /** In minor units of the currency that points pay in. */
  amountCents: number;
}

export interface Connection {
  client: PartnerClient;
  settings: Settings;
}

/** A reward as the service has it now. */
export interface RewardState {
  points: number;
  customerStatus: string;
}

const settingsId = 'settings';
/** What the secret of webhooks is sealed for, of any key. */
const ofWebhooks = 'webhooks';
/** Workflows that fail are tried again later. */
const timeoutMs = 5_000;
/** A customer waits at the till, and can try again. */
export const atOnce = { timeoutMs: 4_000, maxAttempts: 1 };
const maxAttempts = 3;
/** A page does not wait for points. */
const ofQuotes = { timeoutMs: 1_000, maxAttempts: 1 };

export class PartnerEventsService extends MedusaService({
  PartnerEventsSetting: Setting,
  PartnerEventsPurchase: Purchase,
  PartnerEventsRedemption: Redemption,
}) {
  private readonly sealingKey: Buffer;
  private readonly quotes = new Quotes();

  constructor(dependencies: object, options: { sealingKey?: string } = {}) {
    super(dependencies, options);
    this.sealingKey = readSealingKey(options.sealingKey);
  }

  async settings(): Promise<Settings | null> {
    const [stored] = await this.listPartnerEventsSettings({ id: settingsId });
    return stored ? settingsOf(stored) : null;
  }

  /** The service, if the shop reports to it. */
  async connection(): Promise<Connection | null> {
    const [stored] = await this.listPartnerEventsSettings({ id: settingsId });
    if (!stored?.is_enabled) return null;
    const secret = open(this.sealingKey, stored.api_key, stored.sealed_secret);
    return { client: clientOf(stored, secret), settings: settingsOf(stored) };
  }

  /** @throws MedusaError NOT_ALLOWED while the shop does not report to the service */
  async requireConnection(): Promise<Connection> {
    const connection = await this.connection();
    if (connection) return connection;
    throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'Points are switched off in this shop.');
  }

  /**
   * Stores the settings once the service has accepted the key.
   * @throws MedusaError INVALID_DATA if it does not, if the key lacks a scope, or is of the other mode
   */
  async saveSettings(input: SettingsInput): Promise<Settings> {
    const [stored] = await this.listPartnerEventsSettings({ id: settingsId });
    const kept = stored?.api_key === input.api_key && stored.api_url === input.api_url;
    const secret =
      input.secret ?? (kept ? open(this.sealingKey, stored.api_key, stored.sealed_secret) : '');
    await requireUsable(input, secret);
    const { is_enabled, mode, api_url, api_key, report_when, webhook_secret } = input;
    const goesOn = stored?.is_enabled && stored.mode === mode;
    const row = {
      id: settingsId,
      is_enabled,
      mode,
      api_url,
      api_key,
      sealed_secret: seal(this.sealingKey, api_key, secret),
      sealed_webhook_secret: webhook_secret
        ? seal(this.sealingKey, ofWebhooks, webhook_secret)
        : (stored?.sealed_webhook_secret ?? null),
      report_when,
      reports_since: goesOn ? stored.reports_since : new Date(),
    };
    const saved = stored
      ? await this.updatePartnerEventsSettings(row)
      : await this.createPartnerEventsSettings(row);
    return settingsOf(saved);
  }

  /** What was reported about an order in the current mode. */
  async purchaseOf(orderId: string, mode: Mode) {
    const [purchase] = await this.listPartnerEventsPurchases({ order_id: orderId, mode });
    return purchase;
  }

  /** Stores what is about to be reported, or finds what was stored before. */
  async keepPurchase(record: PurchaseRecord) {
    const { order_id, mode } = record;
    const before = await this.purchaseOf(order_id, mode);
    if (before) return before;
    try {
      return await this.createPartnerEventsPurchases(record);
    } catch (error) {
      const others = await this.purchaseOf(order_id, mode);
      if (others) return others;
      throw error;
    }
  }

  /**
   * The event of a webhook.
   * @throws MedusaError NOT_FOUND if the shop has no secret for webhooks
   * @throws WebhookVerificationError if the service did not sign it
   */
  async verifiedEvent(rawBody: Buffer, headers: WebhookHeaders): Promise<WebhookEvent> {
    const [stored] = await this.listPartnerEventsSettings({ id: settingsId });
    if (!stored?.is_enabled || !stored.sealed_webhook_secret) {
      throw new MedusaError(MedusaError.Types.NOT_FOUND, 'This shop takes no webhooks.');
    }
    const secret = open(this.sealingKey, ofWebhooks, stored.sealed_webhook_secret);
    return await verifyWebhook(rawBody, headers, secret);
  }

  /**
   * Notes what happened to a reward, for those who query orders. One caller at a time for an order.
   * @param sequence of the webhook that says it
   */
  async noteReward(
    orderId: string,
    { mode, sequence }: { mode: Mode; sequence: number },
    { points, customerStatus: status }: RewardState,
  ): Promise<void> {
    const purchase = await this.purchaseOf(orderId, mode);
    if (!purchase || sequence < purchase.sequence) return;
    await this.updatePartnerEventsPurchases({ id: purchase.id, points, status, sequence });
  }

  /**
   * The points that goods would earn now, without a customer's limits. Null if the shop does not report, if orders in the
   * currency earn nothing, or if the service does not answer at once.
   * @param subtotalCents in minor units of the currency
   */
  async toEarn(subtotalCents: number, currency: string): Promise<number | null> {
    const connection = await this.connection();
    if (!connection || subtotalCents === 0) return connection && 0;
    const { client, settings } = connection;
    const order = { subtotalCents, currency: currency.toUpperCase() };
    return await this.quotes.pointsOf(settings.apiKey, order, () =>
      client.quote({ order }, ofQuotes),
    );
  }

  /** Has a purchase sent again, with the same bytes. */
  async reportAgain(orderId: string, mode: Mode): Promise<void> {
    const purchase = await this.purchaseOf(orderId, mode);
    if (purchase) await this.updatePartnerEventsPurchases({ id: purchase.id, reward_id: null });
  }

  /**
   * Holds points of a customer for a cart.
   * @throws MedusaError NOT_ALLOWED if there are fewer, or the service does not answer
   */
  async hold({ cart_id, mode, email, amountCents }: Hold) {
    const { client } = await this.requireConnection();
    const externalRedemptionId = `${cart_id}:${randomUUID()}`;
    const request = { externalRedemptionId, customer: { email }, amountCents, hold: true };
    const { redemption } = await answered(client.redeem(request, atOnce)).catch(
      (error: unknown) => {
        throw isRefusal(error, 'INSUFFICIENT_POINTS')
          ? new MedusaError(MedusaError.Types.NOT_ALLOWED, 'The customer has fewer points.')
          : error;
      },
    );
    const { id, points } = redemption;
    const row = { id, cart_id, mode, points, amount_cents: amountCents };
    await this.createPartnerEventsRedemptions({ ...row, status: 'HELD' });
    return redemption;
  }

  /**
   * Spends points that are held. A repeat does nothing.
   * @throws MedusaError NOT_ALLOWED if they are back already, by the shop's own record or the service's
   */
  async capture(id: string): Promise<void> {
    const { client, settings } = await this.requireConnection();
    const { status, mode } = await this.retrievePartnerEventsRedemption(id);
    const isHeld = (status === 'HELD' || status === 'CAPTURED') && mode === settings.mode;
    if (!isHeld) throw notHeld();
    // If it takes effect without an answer, a repeat does nothing, and a cart that is left gets its points back.
    await answered(client.capture(id, atOnce)).catch((error: unknown) => {
      throw isRefusal(error, 'REDEMPTION_ENDED') ? notHeld() : error;
    });
    await this.updatePartnerEventsRedemptions({ id, status: 'CAPTURED' });
  }

  /**
   * Gives held or spent points back. If it fails, it is tried again within minutes, and nothing can be paid with them
   * meanwhile.
   * @returns false if they were back already, because their hold had ended, or are of the mode that the shop has left
   */
  async giveBack(id: string, options?: CallOptions): Promise<boolean> {
    const { client, settings } = await this.requireConnection();
    const { mode } = await this.updatePartnerEventsRedemptions({ id, status: 'ENDING' });
    const isBack =
      mode === settings.mode &&
      ((await isDone(client.release(id, options))) || (await isDone(client.reverse(id, options))));
    await this.updatePartnerEventsRedemptions({ id, status: 'ENDED' });
    return isBack;
  }

  /**
   * Gives back so much of spent points, with what was given back before.
   * @param amountCents in minor units of what they pay; all of it gives all of them back
   */
  async giveBackUpTo(id: string, amountCents: number): Promise<void> {
    const { amount_cents, mode } = await this.retrievePartnerEventsRedemption(id);
    if (amountCents >= amount_cents) return void (await this.giveBack(id));
    const { client, settings } = await this.requireConnection();
    if (mode !== settings.mode) return;
    const { redemption } = await client.redemption(id);
    const { reversedCents } = redemption;
    if (reversedCents >= amountCents) return;
    const part = { amountCents: amountCents - reversedCents };
    await client.reversePart(id, part, { idempotencyKey: `${id}:${reversedCents}` });
  }

  /**
   * The reward of an order as it is now, or null if there is none. `claimUrl` is there if the integration delivers
   * its claim links itself: show it only to the customer.
   */
  async rewardOf(orderId: string, options?: CallOptions) {
    const connection = await this.connection();
    const purchase = connection && (await this.purchaseOf(orderId, connection.settings.mode));
    if (!connection || !purchase?.reward_id) return null;
    const { client } = connection;
    const [{ reward }, claimUrl] = await Promise.all([
      client.reward(purchase.reward_id, options),
      claimUrlOf(client, purchase, options),
    ]);
    return { ...reward, claimUrl };
  }
}

/** The request of a stored purchase: each time the same bytes. */
export function purchaseRequestOf(purchase: PurchaseRecord) {
  return {
    externalOrderId: purchase.order_id,
    customer: { email: purchase.email },
    order: { subtotalCents: purchase.subtotal_cents, currency: purchase.currency },
    occurredAt: purchase.occurred_at,
  };
}

/** The service repeats its first response to the same request by the same key. */
async function claimUrlOf(client: PartnerClient, purchase: PurchaseRecord, options?: CallOptions) {
  try {
    const { reward } = await client.purchase(purchaseRequestOf(purchase), options);
    return reward.claimUrl;
  } catch (error) {
    // Another API key reported it.
    if (isRefusal(error, 'DUPLICATE_EXTERNAL_ORDER')) return undefined;
    throw error;
  }
}

/** False if the redemption has ended in another way. */
async function isDone(request: Promise<unknown>): Promise<boolean> {
  try {
    await request;
    return true;
  } catch (error) {
    if (isRefusal(error, 'REDEMPTION_ENDED')) return false;
    throw error;
  }
}

/** Asks what each scope allows, about nobody: what a key may not do would otherwise be known at the first order. */
async function requireUsable(input: SettingsInput, secret: string): Promise<void> {
  const client = clientOf(input, secret);
  const nothing = `settings-${randomUUID()}`;
  const asked = [
    client.usage(),
    client.balance({ customer: { email: `${nothing}@example.com` } }),
    client.releaseOrder(nothing).catch(ignoreUnknown),
    client.release(nothing).catch(ignoreUnknown),
  ] as const;
  const answers = await Promise.allSettled(asked);
  const refusals = answers.flatMap((answer) => {
    if (answer.status === 'fulfilled') return [];
    return [answer.reason instanceof Error ? answer.reason.message : String(answer.reason)];
  });
  if (refusals.length > 0) {
    throw invalid(`The service did not accept the key: ${[...new Set(refusals)].join(' ')}`);
  }
  const { mode } = await asked[0];
  if (mode !== input.mode) throw invalid(`This is a key for ${mode}, not for ${input.mode}.`);
}

function ignoreUnknown(error: unknown): void {
  if (!(error instanceof PartnerApiError) || ![400, 404, 422].includes(error.status)) throw error;
}

const clientOf = (of: Pick<SettingsInput, 'api_url' | 'api_key'>, secret: string) =>
  new PartnerClient({ baseUrl: of.api_url, key: of.api_key, secret, timeoutMs, maxAttempts });

export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof PartnerApiError && error.code === code;

/** @throws MedusaError NOT_ALLOWED, with words for who waits, if the service does not answer */
export async function answered<T>(
  request: Promise<T>,
  message = 'Points cannot be used right now: try again, or pay without them.',
): Promise<T> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof ConnectionError || error instanceof UnavailableError) {
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, message);
    }
    throw error;
  }
}

/** What an order or a customer has is asked, and the service does not answer. */
export const notShown = 'Points cannot be shown right now: try again later.';

const notHeld = () =>
  new MedusaError(
    MedusaError.Types.NOT_ALLOWED,
    'The points are no longer held for this cart: apply them again.',
  );

const invalid = (message: string) => new MedusaError(MedusaError.Types.INVALID_DATA, message);

function settingsOf(stored: {
  is_enabled: boolean;
  mode: Mode;
  api_url: string;
  api_key: string;
  report_when: ReportWhen;
  reports_since: Date;
  sealed_webhook_secret: string | null;
}): Settings {
  const { is_enabled, mode, api_url, api_key, report_when, reports_since } = stored;
  return {
    isEnabled: is_enabled,
    mode,
    apiUrl: api_url,
    apiKey: api_key,
    reportWhen: report_when,
    reportsSince: new Date(reports_since),
    hasWebhookSecret: stored.sealed_webhook_secret !== null,
  };
}
