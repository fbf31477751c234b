import type { Requirement } from '../../domain/go-live.ts';

/** How and where to meet a condition of the checklist. */
export interface Remedy {
  title: string;
  path: string;
  button: string;
}

type RemedyKeys = Pick<Remedy, 'path'> & Record<'title' | 'button', string>;

const remedies: Readonly<Record<Requirement, RemedyKeys>> = {
  PROFILE: {
    title: 'Complete profile',
    path: '/profile',
    button: 'Complete profile',
  },
  EARNING_RULE: {
    title: 'Active LIVE earning rule',
    path: '/rules?mode=TEST',
    button: 'Promote rule',
  },
  FUNDING: {
    title: 'LIVE funding',
    path: '/funding/how-to-pay',
    button: 'Top up',
  },
  INTEGRATION: {
    title: 'Integration',
    path: '/integrations/new',
    button: 'Create integration',
  },
  TEST_PURCHASE: {
    title: 'TEST purchase',
    path: '/console',
    button: 'Send purchase',
  },
  TEST_REFUND: {
    title: 'Matching TEST refund',
    path: '/console?type=refund',
    button: 'Send refund',
  },
  APPROVAL: {
    title: 'Approval',
    path: '/home',
    button: 'Request go-live',
  },
};

export function remedyOf(requirement: Requirement): Remedy {
  const { title, button, path } = remedies[requirement];
  return { path, title: title, button: button };
}
