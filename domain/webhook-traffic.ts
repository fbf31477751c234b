/** How an endpoint answered within one hour. */
export interface WebhookHour {
  succeeded: number;
  failed: number;
  /** Of all its tries together. */
  durationMs: number;
}

/** By UTC hour, `yyyy-mm-ddThh`. */
export type WebhookTraffic = Readonly<Record<string, WebhookHour>>;

const hourMs = 3_600_000;
/** So many hours are kept and shown: the current one, and those before it. */
export const trafficHours = 48;

/** The UTC hour of an instant, as traffic is kept by. */
export const webhookHourOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 13);

/** The hours that are shown, oldest first, each with what is kept of it. */
export function lastHours(
  traffic: WebhookTraffic,
  nowMs: number,
): (WebhookHour & { hour: string })[] {
  return Array.from({ length: trafficHours }, (_, place) => {
    const hour = webhookHourOf(nowMs - (trafficHours - 1 - place) * hourMs);
    return { ...{ hour, succeeded: 0, failed: 0, durationMs: 0 }, ...traffic[hour] };
  });
}

/** Hours that are kept and shown no more. */
export function outdatedHours(traffic: WebhookTraffic, nowMs: number): string[] {
  const oldest = webhookHourOf(nowMs - (trafficHours - 1) * hourMs);
  return Object.keys(traffic).filter((hour) => hour < oldest);
}
