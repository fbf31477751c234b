import type { Requirement } from '../../domain/go-live.ts';

/** What is to be done for an item of the checklist, and where. */
export interface Remedy {
  title: string;
  path: string;
  button: string;
}

export const remedies: Record<Requirement, Remedy> = {
  PROFILE: { title: 'Complete profile', path: '/profile/edit', button: 'Complete the profile' },
  EARNING_RULE: { title: 'Active LIVE earning rule', path: '/rules', button: 'Promote a rule' },
  FUNDING: { title: 'LIVE funding', path: '/funding', button: 'Top up' },
  INTEGRATION: { title: 'Integration', path: '/integrations/new', button: 'Create an integration' },
  TEST_PURCHASE: { title: 'TEST purchase', path: '/console', button: 'Send a purchase' },
  TEST_REFUND: {
    ...{ title: 'Matching TEST refund', path: '/console?type=refund', button: 'Send a refund' },
  },
  APPROVAL: { title: 'Approval', path: '/go-live/request', button: 'Request go-live' },
};
