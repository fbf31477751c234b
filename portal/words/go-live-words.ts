import type { Requirement } from '../../domain/go-live.ts';
import { say } from './say.ts';

/** What is to be done for an item of the checklist, and where. */
export interface Remedy {
  title: string;
  path: string;
  button: string;
}

export const remedies = (): Record<Requirement, Remedy> => ({
  PROFILE: {
    title: say('goLive.remedy.profile.title'),
    path: '/profile/edit',
    button: say('goLive.remedy.profile.button'),
  },
  EARNING_RULE: {
    title: say('goLive.remedy.earningRule.title'),
    path: '/rules',
    button: say('goLive.remedy.earningRule.button'),
  },
  FUNDING: {
    title: say('goLive.remedy.funding.title'),
    path: '/funding',
    button: say('goLive.remedy.funding.button'),
  },
  INTEGRATION: {
    title: say('goLive.remedy.integration.title'),
    path: '/integrations/new',
    button: say('goLive.remedy.integration.button'),
  },
  TEST_PURCHASE: {
    title: say('goLive.remedy.testPurchase.title'),
    path: '/console',
    button: say('goLive.remedy.testPurchase.button'),
  },
  TEST_REFUND: {
    ...{
      title: say('goLive.remedy.testRefund.title'),
      path: '/console?type=refund',
      button: say('goLive.remedy.testRefund.button'),
    },
  },
  APPROVAL: {
    title: say('goLive.remedy.approval.title'),
    path: '/go-live/request',
    button: say('goLive.remedy.approval.button'),
  },
});
