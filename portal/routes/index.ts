import type { PortalDeps } from '../deps.ts';
import type { Routes } from '../route-table.ts';
import type { Throttle } from '../throttle.ts';
import { accountPages } from './account.ts';
import { adminPages } from './admin/index.ts';
import { homePages } from './home.ts';
import { invitationPages } from './invitations.ts';
import { secondFactorPages } from './second-factor.ts';
import { signInPages } from './sign-in.ts';
import { teamPages } from './team.ts';

/** Every page, a file for each group. */
export function addPages(routes: Routes, deps: PortalDeps, throttle: Throttle): void {
  signInPages(routes, deps, throttle);
  invitationPages(routes, deps);
  secondFactorPages(routes, deps, throttle);
  accountPages(routes, deps, throttle);
  homePages(routes, deps);
  teamPages(routes, deps);
  adminPages(routes, deps);
}
