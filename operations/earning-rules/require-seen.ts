import { ServiceError } from '../../domain/errors.ts';

/**
 * Requires that the active rule is still the one that the user saw when they confirmed its replacement.
 * @param seen the id of the rule that they saw, null for none
 * @throws ServiceError CONFLICT if another rule is active now
 */
export function requireSeen(activeRuleId: string | null, seen: string | null): void {
  if (activeRuleId === seen) return;
  throw new ServiceError(
    'CONFLICT',
    'Another rule has become active since you looked. Check the changes again.',
  );
}
