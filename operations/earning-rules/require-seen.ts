import { ServiceError } from '../../domain/errors.ts';

/**
 * Whoever confirmed that one rule replaces another has seen the one that is active.
 * @param seen its id, null where there was none
 * @throws ServiceError CONFLICT where another is active by now
 */
export function requireSeen(activeRuleId: string | null, seen: string | null): void {
  if (activeRuleId === seen) return;
  throw new ServiceError(
    'CONFLICT',
    'Another rule has become active since you looked. Check the changes again.',
  );
}
