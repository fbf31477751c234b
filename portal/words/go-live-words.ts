import type { Requirement } from '../../domain/go-live.ts';
import { type PlainKey, say } from './say.ts';

/** How and where to meet a condition of the checklist. */
export interface Remedy {
  title: string;
  path: string;
  button: string;
}

type RemedyKeys = Pick<Remedy, 'path'> & Record<'title' | 'button', PlainKey>;

const remedies: Readonly<Record<Requirement, RemedyKeys>> = {
  PROFILE: {
    title: 'goLive.remedy.profile.title',
    path: '/profile/edit',
    button: 'goLive.remedy.profile.button',
  },
  EARNING_RULE: {
    title: 'goLive.remedy.earningRule.title',
    path: '/rules',
    button: 'goLive.remedy.earningRule.button',
  },
  FUNDING: {
    title: 'goLive.remedy.funding.title',
    path: '/funding',
    button: 'goLive.remedy.funding.button',
  },
  INTEGRATION: {
    title: 'goLive.remedy.integration.title',
    path: '/integrations/new',
    button: 'goLive.remedy.integration.button',
  },
  TEST_PURCHASE: {
    title: 'goLive.remedy.testPurchase.title',
    path: '/console',
    button: 'goLive.remedy.testPurchase.button',
  },
  TEST_REFUND: {
    title: 'goLive.remedy.testRefund.title',
    path: '/console?type=refund',
    button: 'goLive.remedy.testRefund.button',
  },
  APPROVAL: {
    title: 'goLive.remedy.approval.title',
    path: '/go-live/request',
    button: 'goLive.remedy.approval.button',
  },
};

export function remedyOf(requirement: Requirement): Remedy {
  const { title, button, path } = remedies[requirement];
  return { path, title: say(title), button: say(button) };
}
