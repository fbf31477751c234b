import { accessTokensOf } from '../identity/access-tokens.ts';
import { sessionsOf } from '../identity/sessions.ts';
import type { ViewDeps } from './deps.ts';

/** A user's sessions and access tokens. */
export async function readAccount(deps: Pick<ViewDeps, 'models' | 'now'>, userId: string) {
  const [sessions, tokens] = await Promise.all([
    sessionsOf(deps, userId),
    accessTokensOf(deps, userId),
  ]);
  return { sessions, tokens };
}

export type Account = Awaited<ReturnType<typeof readAccount>>;
