/** The deliveries to an endpoint in one hour. */
export interface WebhookHour {
  succeeded: number;
  failed: number;
  /** The total of all its attempts. */
  durationMs: number;
}

/** By UTC hour, `yyyy-mm-ddThh`. */
export type WebhookTraffic = Readonly<Record<string, WebhookHour>>;

const hourMs = 3_600_000;
/** How many hours are stored and shown, including the current one. */
export const trafficHours = 48;

/** The UTC hour of a given time, the key of `WebhookTraffic`. */
export const webhookHourOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13);

/** The hours to show, oldest first. */
export function lastHours(
  traffic: WebhookTraffic,
  nowMs: number,
): (WebhookHour & { hour: string })[] {
  return Array.from({ length: trafficHours }, (_, place) => {
    const hour = webhookHourOf(nowMs - (trafficHours - 1 - place) * hourMs);
    return { hour, succeeded: 0, failed: 0, durationMs: 0, ...traffic[hour] };
  });
}

/** The stored hours that are too old to be shown. */
export function outdatedHours(traffic: WebhookTraffic, nowMs: number): string[] {
  const oldest = webhookHourOf(nowMs - (trafficHours - 1) * hourMs);
  return Object.keys(traffic).filter((hour) => hour < oldest);
}
