/** The rest of the plan's rate limit, from the headers of a response. */
export interface RateLimit {
  /** Requests per window, for all of the partner's keys in this mode. */
  limit: number | undefined;
  windowSeconds: number | undefined;
  /** Requests left in the window. */
  remaining: number;
  /** Seconds until the window ends. */
  resetSeconds: number;
}

/**
 * Reads `RateLimit: "default";r=599;t=60` and `RateLimit-Policy: "default";q=600;w=60`.
 * @returns undefined if the headers are absent or invalid
 */
export function parseRateLimit(headers: Headers): RateLimit | undefined {
  const now = headers.get('ratelimit');
  const policy = headers.get('ratelimit-policy');
  const remaining = parameter(now, 'r');
  const resetSeconds = parameter(now, 't');
  if (remaining === undefined || resetSeconds === undefined) return undefined;
  const [limit, windowSeconds] = [parameter(policy, 'q'), parameter(policy, 'w')];
  return { limit, windowSeconds, remaining, resetSeconds };
}

function parameter(header: string | null, name: string): number | undefined {
  const [, digits] = new RegExp(`;\\s*${name}=(\\d{1,9})(?![^;,\\s])`).exec(header ?? '') ?? [];
  return digits === undefined ? undefined : Number(digits);
}
