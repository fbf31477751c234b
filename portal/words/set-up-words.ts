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
    title: say('setUp.step.title'),
    text: say('setUp.step.systemsSends'),
    ...{ path: '/integrations/new', button: say('setUp.step.button') },
    permission: 'integration.create',
  },
  TEST_KEY: {
    title: say('setUp.step.title.generateTest'),
    text: say('setUp.step.keySays'),
    ...{ path: '/keys/test/new', button: say('setUp.step.button.generateTest') },
    permission: 'credential.test',
  },
  STORE_SECRET: {
    title: say('setUp.step.title.storeRaw'),
    text: say('setUp.step.shownOnce'),
    ...{ path: '/console', button: say('setUp.step.button.signFirst') },
    permission: 'test-event.send',
  },
  EARNING_RULE: {
    title: say('setUp.step.title.createEarning'),
    text: say('setUp.step.saysHow'),
    ...{ path: '/rules/test/new', button: say('setUp.step.button.createRule') },
    permission: 'earning-rule.test',
  },
  TEST_FUNDING: {
    title: say('setUp.step.title.addTest'),
    text: say('setUp.step.onlyWant'),
    ...{ path: '/integrations', button: say('setUp.step.button.addTest') },
    permission: 'integration.test-funding',
  },
  TEST_PURCHASE: {
    title: say('setUp.step.title.sendSigned'),
    text: say('setUp.step.testConsole'),
    ...{ path: '/console', button: say('setUp.step.button.openTest') },
    permission: 'test-event.send',
  },
  INSPECT_RESPONSE: {
    title: say('setUp.step.title.inspectResponse'),
    text: say('setUp.step.answerNames'),
    ...{ path: '/events', button: say('setUp.step.button.openEvents') },
    permission: 'read',
  },
  TEST_REFUND: {
    title: say('setUp.step.title.sendMatching'),
    text: say('setUp.step.sameExternalorderid'),
    ...{ path: '/console?type=refund', button: say('setUp.step.button.sendRefund') },
    permission: 'test-event.send',
  },
  VERIFY: {
    title: say('setUp.step.title.verifyIntegration'),
    text: say('setUp.step.purchaseRefund'),
    ...{ path: '/events', button: say('setUp.step.button.openEvents') },
    permission: 'read',
  },
  GO_LIVE: {
    title: say('setUp.step.title.requestGo'),
    text: say('setUp.step.completeProfile'),
    ...{ path: '/go-live', button: say('setUp.step.button.openChecklist') },
    permission: 'partner.request-go-live',
  },
  LIVE_KEY: {
    title: say('setUp.step.title.generateLive'),
    text: say('setUp.step.onceGo'),
    ...{ path: '/keys/live/new', button: say('setUp.step.button.generateLive') },
    permission: 'credential.live',
  },
});
