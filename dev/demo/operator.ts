import { setTimeout as delay } from 'node:timers/promises';

export type OperatorClient = ReturnType<typeof createDemoOperator>;

/** A reward in the operators' API, with the fields that the scenario uses. */
export interface OperatorReward {
  rewardId: string;
  partnerId: string;
  integrationId: string;
  customerId: string;
  status: string;
  funded: boolean;
  temporalUrl: string;
}

const patienceMs = 30_000;

/** An operator of the demo, as a client of `/admin/v1`. */
export function createDemoOperator(adminUrl: string, token: string) {
  /** Retries while the service responds with 503. */
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const signal = AbortSignal.timeout(patienceMs);
    const send = () =>
      fetch(adminUrl + path, {
        method,
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal,
      });
    let response = await send();
    while (response.status === 503) {
      await delay(1_000, undefined, { signal });
      response = await send();
    }
    const text = await response.text();
    if (response.ok) return JSON.parse(text);
    throw new Error(`${method} ${path} returned ${response.status}: ${text}`);
  }
  /** The reward; undefined until its purchase's workflow has created it. */
  async function rewardOf(rewardId: string): Promise<OperatorReward | undefined> {
    const { items } = await ask<{ items: OperatorReward[] }>('GET', `/rewards?reward=${rewardId}`);
    return items[0];
  }

  async function eventually<T>(
    look: () => Promise<T>,
    isExpected: (found: T) => boolean,
    otherwise: (found: T) => string,
  ): Promise<T> {
    const until = Date.now() + patienceMs;
    for (;;) {
      const found = await look();
      if (isExpected(found)) return found;
      if (Date.now() > until) throw new Error(otherwise(found));
      await delay(200);
    }
  }

  return {
    ask,

    /**
     * Waits until the reward is in the expected state.
     * @throws Error if it does not get there
     */
    async rewardOnce(
      rewardId: string,
      isExpected: (reward: OperatorReward) => boolean,
    ): Promise<OperatorReward> {
      const reward = await eventually(
        () => rewardOf(rewardId),
        (found) => found !== undefined && isExpected(found),
        (found) => `${rewardId} remains ${found?.status ?? 'to be created'}`,
      );
      if (reward === undefined) throw new Error(`${rewardId} was not created`);
      return reward;
    },

    /** Waits until the money of a customer's claim is in the ledger. */
    async customerOnceOwed(customerId: string): Promise<{ points: number; owedCents: number }> {
      return await eventually(
        () => ask<{ points: number; owedCents: number }>('GET', `/customers/${customerId}`),
        ({ owedCents }) => owedCents > 0,
        () => `nothing is owed to ${customerId}`,
      );
    },

    /** Waits until the review opened by a refund is shown to operators. */
    async openReviewOf(rewardId: string): Promise<string> {
      const open = await eventually(
        async () => {
          const { items } = await ask<{ items: { rewardId: string; reviewId: string }[] }>(
            'GET',
            '/reviews?status=OPEN&limit=100',
          );
          return items.find((review) => review.rewardId === rewardId);
        },
        (review) => review !== undefined,
        () => `no review opens for ${rewardId}`,
      );
      return open?.reviewId ?? '';
    },
  };
}
