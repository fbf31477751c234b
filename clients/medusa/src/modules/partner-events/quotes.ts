import type { QuoteResponse, RateLimit } from 'partner-events';

type Answer = Pick<QuoteResponse, 'points'> & { rateLimit: RateLimit | undefined };

const keptMs = 60_000;
const mostKept = 1_000;

/**
 * What orders would earn, for pages that anybody can open. Answers are kept for a minute, and asking pauses once half of the
 * rate limit is used up, since the other half is for reports.
 */
export class Quotes {
  private readonly kept = new Map<string, { points: number; untilMs: number }>();
  private pausedUntilMs = 0;
  private readonly now: () => number;

  constructor(now: () => number = Date.now) {
    this.now = now;
  }

  /** @returns null if the service refuses, does not answer, or is not asked */
  async pointsOf(
    apiKey: string,
    { subtotalCents, currency }: { subtotalCents: number; currency: string },
    ask: () => Promise<Answer>,
  ): Promise<number | null> {
    const about = `${apiKey} ${currency} ${subtotalCents}`;
    const before = this.kept.get(about);
    if (before && before.untilMs > this.now()) return before.points;
    if (this.pausedUntilMs > this.now()) return null;
    try {
      const { points, rateLimit } = await ask();
      if (rateLimit?.limit && rateLimit.remaining < rateLimit.limit / 2) {
        this.pausedUntilMs = this.now() + rateLimit.resetSeconds * 1_000;
      }
      this.keep(about, points);
      return points;
    } catch {
      return null;
    }
  }

  private keep(about: string, points: number): void {
    this.kept.delete(about);
    this.kept.set(about, { points, untilMs: this.now() + keptMs });
    const [oldest] = this.kept.keys();
    if (this.kept.size > mostKept && oldest !== undefined) this.kept.delete(oldest);
  }
}
