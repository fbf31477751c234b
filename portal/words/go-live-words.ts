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
    title: say('goLive.remedies.title'),
    path: '/profile/edit',
    button: say('goLive.remedies.button'),
  },
  EARNING_RULE: {
    title: say('goLive.remedies.title.activeLive'),
    path: '/rules',
    button: say('goLive.remedies.button.promoteRule'),
  },
  FUNDING: {
    title: say('goLive.remedies.title.liveFunding'),
    path: '/funding',
    button: say('goLive.remedies.button.topUp'),
  },
  INTEGRATION: {
    title: say('goLive.remedies.title.integration'),
    path: '/integrations/new',
    button: say('goLive.remedies.button.createIntegration'),
  },
  TEST_PURCHASE: {
    title: say('goLive.remedies.title.testPurchase'),
    path: '/console',
    button: say('goLive.remedies.button.sendPurchase'),
  },
  TEST_REFUND: {
    ...{
      title: say('goLive.remedies.title.matchingTest'),
      path: '/console?type=refund',
      button: say('goLive.remedies.button.sendRefund'),
    },
  },
  APPROVAL: {
    title: say('goLive.remedies.title.approval'),
    path: '/go-live/request',
    button: say('goLive.remedies.button.requestGo'),
  },
});
