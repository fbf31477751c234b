import { MedusaError, MedusaService } from '@medusajs/framework/utils';
import { PartnerApiError, PartnerClient } from 'partner-events';
import { Purchase } from './models/purchase';
import { Redemption } from './models/redemption';
import { Setting } from './models/setting';
import { open, readSealingKey, seal } from './seal';

export type Mode = 'TEST' | 'LIVE';

export interface Settings {
  isEnabled: boolean;
  mode: Mode;
  apiUrl: string;
  apiKey: string;
  reportsSince: Date;
}

/** What an operator of the shop enters. Without a secret, the stored one stays. */
export interface SettingsInput {
  is_enabled: boolean;
  mode: Mode;
  api_url: string;
  api_key: string;
  secret?: string | undefined;
}

/** A purchase as it is stored before it is sent. */
export interface PurchaseRecord {
  order_id: string;
  mode: Mode;
  email: string;
  currency: string;
  subtotal_cents: number;
  paid_cents: number;
  occurred_at: string;
}

export interface Connection {
  client: PartnerClient;
  settings: Settings;
}

const settingsId = 'settings';
/** A customer waits for these requests. Workflows that fail are tried again later. */
const timeoutMs = 5_000;
const maxAttempts = 3;

export class PartnerEventsService extends MedusaService({ Setting, Purchase, Redemption }) {
  private readonly sealingKey: Buffer;

  constructor(dependencies: object, options: { sealingKey?: string } = {}) {
    super(dependencies, options);
    this.sealingKey = readSealingKey(options.sealingKey);
  }

  async settings(): Promise<Settings | null> {
    const [stored] = await this.listSettings({ id: settingsId });
    return stored ? settingsOf(stored) : null;
  }

  /** The service, if the shop reports to it. */
  async connection(): Promise<Connection | null> {
    const [stored] = await this.listSettings({ id: settingsId });
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
   * @throws MedusaError INVALID_DATA if it does not, or if the key is of the other mode
   */
  async saveSettings(input: SettingsInput): Promise<Settings> {
    const [stored] = await this.listSettings({ id: settingsId });
    const kept = stored?.api_key === input.api_key && stored.api_url === input.api_url;
    const secret =
      input.secret ?? (kept ? open(this.sealingKey, stored.api_key, stored.sealed_secret) : '');
    await requireMode(input, secret);
    const { is_enabled, mode, api_url, api_key } = input;
    const goesOn = stored?.is_enabled && stored.mode === mode;
    const row = {
      id: settingsId,
      is_enabled,
      mode,
      api_url,
      api_key,
      sealed_secret: seal(this.sealingKey, api_key, secret),
      reports_since: goesOn ? stored.reports_since : new Date(),
    };
    const saved = stored ? await this.updateSettings(row) : await this.createSettings(row);
    return settingsOf(saved);
  }

  /** What was reported about an order in the current mode. */
  async purchaseOf(orderId: string, mode: Mode) {
    const [purchase] = await this.listPurchases({ order_id: orderId, mode });
    return purchase;
  }

  /** Stores what is about to be reported, or finds what was stored before. */
  async keepPurchase(record: PurchaseRecord) {
    const { order_id, mode } = record;
    const before = await this.purchaseOf(order_id, mode);
    if (before) return before;
    try {
      return await this.createPurchases(record);
    } catch (error) {
      const others = await this.purchaseOf(order_id, mode);
      if (others) return others;
      throw error;
    }
  }

  /** Has a purchase sent again, with the same bytes. */
  async reportAgain(orderId: string, mode: Mode): Promise<void> {
    const purchase = await this.purchaseOf(orderId, mode);
    if (purchase) await this.updatePurchases({ id: purchase.id, reward_id: null });
  }

  /**
   * Spends points that are held. A repeat does nothing.
   * @throws MedusaError NOT_ALLOWED if they are back already, by the shop's own record or the service's
   */
  async capture(id: string): Promise<void> {
    const { client, settings } = await this.requireConnection();
    const { status, mode } = await this.retrieveRedemption(id);
    const isHeld = (status === 'HELD' || status === 'CAPTURED') && mode === settings.mode;
    if (!isHeld) throw notHeld();
    await client.capture(id).catch((error: unknown) => {
      throw isRefusal(error, 'REDEMPTION_ENDED') ? notHeld() : error;
    });
    await this.updateRedemptions({ id, status: 'CAPTURED' });
  }

  /**
   * Gives held or spent points back. If it fails, it is tried again at night, and nothing can be paid with them meanwhile.
   * @returns false if they were back already, because their hold had ended, or are of the mode that the shop has left
   */
  async giveBack(id: string): Promise<boolean> {
    const { client, settings } = await this.requireConnection();
    const { mode } = await this.updateRedemptions({ id, status: 'ENDING' });
    const isBack =
      mode === settings.mode &&
      ((await isDone(client.release(id))) || (await isDone(client.reverse(id))));
    await this.updateRedemptions({ id, status: 'ENDED' });
    return isBack;
  }

  /**
   * The reward of an order as it is now, or null if there is none. `claimUrl` is there if the integration delivers
   * its claim links itself: show it only to the customer.
   */
  async rewardOf(orderId: string) {
    const connection = await this.connection();
    const purchase = connection && (await this.purchaseOf(orderId, connection.settings.mode));
    if (!connection || !purchase?.reward_id) return null;
    const { client } = connection;
    const { reward } = await client.reward(purchase.reward_id);
    return { ...reward, claimUrl: await claimUrlOf(client, purchase) };
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
async function claimUrlOf(client: PartnerClient, purchase: PurchaseRecord) {
  try {
    const { reward } = await client.purchase(purchaseRequestOf(purchase));
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

async function requireMode(input: SettingsInput, secret: string): Promise<void> {
  let mode: Mode;
  try {
    ({ mode } = await clientOf(input, secret).usage());
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw invalid(`The service did not accept the key: ${reason}`);
  }
  if (mode !== input.mode) throw invalid(`This is a key for ${mode}, not for ${input.mode}.`);
}

const clientOf = (of: Pick<SettingsInput, 'api_url' | 'api_key'>, secret: string) =>
  new PartnerClient({ baseUrl: of.api_url, key: of.api_key, secret, timeoutMs, maxAttempts });

export const isRefusal = (error: unknown, code: string): boolean =>
  error instanceof PartnerApiError && error.code === code;

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
  reports_since: Date;
}): Settings {
  const { is_enabled, mode, api_url, api_key, reports_since } = stored;
  return {
    isEnabled: is_enabled,
    mode,
    apiUrl: api_url,
    apiKey: api_key,
    reportsSince: new Date(reports_since),
  };
}
