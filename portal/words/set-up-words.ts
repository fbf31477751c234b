import type { PartnerPermission } from '../../domain/partner-roles.ts';
import type { SetUpStep } from '../../domain/set-up.ts';
import { say } from './say.ts';

/** How a step of the set-up is told, and where it is done. */
export interface StepWords {
  title: string;
  /** What it is for, to who has it before them. */
  text: string;
  path: string;
  button: string;
  /** What doing it takes. */
  permission: PartnerPermission;
}

/** The specification's setup sequence, as a partner reads it. */
export const stepWords = (): Record<SetUpStep, StepWords> => ({
  INTEGRATION: {
    title: say('setUp.step.integration.title'),
    text: say('setUp.step.integration.text'),
    ...{ path: '/integrations/new', button: say('setUp.step.integration.button') },
    permission: 'integration.create',
  },
  TEST_KEY: {
    title: say('setUp.step.testKey.title'),
    text: say('setUp.step.testKey.text'),
    ...{ path: '/keys/test/new', button: say('setUp.step.testKey.button') },
    permission: 'credential.test',
  },
  STORE_SECRET: {
    title: say('setUp.step.storeSecret.title'),
    text: say('setUp.step.storeSecret.text'),
    ...{ path: '/console', button: say('setUp.step.storeSecret.button') },
    permission: 'test-event.send',
  },
  EARNING_RULE: {
    title: say('setUp.step.earningRule.title'),
    text: say('setUp.step.earningRule.text'),
    ...{ path: '/rules/test/new', button: say('setUp.step.earningRule.button') },
    permission: 'earning-rule.test',
  },
  TEST_FUNDING: {
    title: say('setUp.step.testFunding.title'),
    text: say('setUp.step.testFunding.text'),
    ...{ path: '/integrations', button: say('setUp.step.testFunding.button') },
    permission: 'integration.test-funding',
  },
  TEST_PURCHASE: {
    title: say('setUp.step.testPurchase.title'),
    text: say('setUp.step.testPurchase.text'),
    ...{ path: '/console', button: say('setUp.step.testPurchase.button') },
    permission: 'test-event.send',
  },
  INSPECT_RESPONSE: {
    title: say('setUp.step.inspectResponse.title'),
    text: say('setUp.step.inspectResponse.text'),
    ...{ path: '/events', button: say('setUp.step.inspectResponse.button') },
    permission: 'read',
  },
  TEST_REFUND: {
    title: say('setUp.step.testRefund.title'),
    text: say('setUp.step.testRefund.text'),
    ...{ path: '/console?type=refund', button: say('setUp.step.testRefund.button') },
    permission: 'test-event.send',
  },
  VERIFY: {
    title: say('setUp.step.verify.title'),
    text: say('setUp.step.verify.text'),
    ...{ path: '/events', button: say('setUp.step.inspectResponse.button') },
    permission: 'read',
  },
  GO_LIVE: {
    title: say('setUp.step.goLive.title'),
    text: say('setUp.step.goLive.text'),
    ...{ path: '/go-live', button: say('setUp.step.goLive.button') },
    permission: 'partner.request-go-live',
  },
  LIVE_KEY: {
    title: say('setUp.step.liveKey.title'),
    text: say('setUp.step.liveKey.text'),
    ...{ path: '/keys/live/new', button: say('setUp.step.liveKey.button') },
    permission: 'credential.live',
  },
});
