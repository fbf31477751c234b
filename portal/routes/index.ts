import type { PortalDeps } from '../deps.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';
import { accountPages } from './account.ts';
import { adminPages } from './admin/index.ts';
import { claimRoutes } from './claims.ts';
import { fundingPages } from './funding.ts';
import { goLivePages } from './go-live.ts';
import { homePages } from './home.ts';
import { integrationPages } from './integrations.ts';
import { invitationPages } from './invitations.ts';
import { keyChangePages } from './key-changes.ts';
import { newKeyPages } from './key-new.ts';
import { keyPages } from './keys.ts';
import { profilePages } from './profile.ts';
import { ruleChangePages } from './rule-changes.ts';
import { rulePages } from './rules.ts';
import { secondFactorPages } from './second-factor.ts';
import { signInPages } from './sign-in.ts';
import { teamPages } from './team.ts';
import { testFundingPages } from './test-funding.ts';

/** Every page, a file for each group. */
export function addPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  signInPages(routes, deps, throttle);
  invitationPages(routes, deps);
  secondFactorPages(routes, deps, throttle);
  accountPages(routes, deps, throttle);
  homePages(routes, deps);
  profilePages(routes, deps);
  integrationPages(routes, deps);
  testFundingPages(routes, deps);
  keyPages(routes, deps);
  newKeyPages(routes, deps);
  keyChangePages(routes, deps);
  rulePages(routes, deps);
  ruleChangePages(routes, deps);
  fundingPages(routes, deps);
  goLivePages(routes, deps);
  teamPages(routes, deps);
  adminPages(routes, deps);
  claimRoutes(routes, deps, throttle);
}
