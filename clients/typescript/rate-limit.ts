/** How much of the plan's rate limit is left, as the service said with an answer. */
export interface RateLimit {
  /** Requests in a window, for all keys of the partner in this mode together. */
  limit: number | undefined;
  windowSeconds: number | undefined;
  /** How many are left of it. */
  remaining: number;
  /** When there are all of them again. */
  resetSeconds: number;
}

/**
 * Reads `RateLimit: "default";r=599;t=60` and `RateLimit-Policy: "default";q=600;w=60`.
 * @returns undefined where the answer says nothing that can be read
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
