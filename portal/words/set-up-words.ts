import type { PartnerPermission } from '../../domain/partner-roles.ts';
import type { SetUpStep } from '../../domain/set-up.ts';
import { type PlainKey, say } from './say.ts';

/** The texts of a set-up step, and where it is done. */
export interface StepWords {
  title: string;
  /** Explanation of the step. */
  text: string;
  path: string;
  button: string;
  /** The permission that the step needs. */
  permission: PartnerPermission;
}

type StepKeys = Pick<StepWords, 'path' | 'permission'> &
  Record<'title' | 'text' | 'button', PlainKey>;

/** The texts of the set-up steps. */
const steps: Readonly<Record<SetUpStep, StepKeys>> = {
  INTEGRATION: {
    title: 'setUp.step.integration.title',
    text: 'setUp.step.integration.text',
    path: '/integrations/new',
    button: 'setUp.step.integration.button',
    permission: 'integration.create',
  },
  TEST_KEY: {
    title: 'setUp.step.testKey.title',
    text: 'setUp.step.testKey.text',
    path: '/keys/test/new',
    button: 'setUp.step.testKey.button',
    permission: 'credential.test',
  },
  STORE_SECRET: {
    title: 'setUp.step.storeSecret.title',
    text: 'setUp.step.storeSecret.text',
    path: '/console',
    button: 'setUp.step.storeSecret.button',
    permission: 'test-event.send',
  },
  EARNING_RULE: {
    title: 'setUp.step.earningRule.title',
    text: 'setUp.step.earningRule.text',
    path: '/rules/test/new',
    button: 'setUp.step.earningRule.button',
    permission: 'earning-rule.test',
  },
  TEST_FUNDING: {
    title: 'setUp.step.testFunding.title',
    text: 'setUp.step.testFunding.text',
    path: '/integrations',
    button: 'setUp.step.testFunding.button',
    permission: 'integration.test-funding',
  },
  TEST_PURCHASE: {
    title: 'setUp.step.testPurchase.title',
    text: 'setUp.step.testPurchase.text',
    path: '/console',
    button: 'setUp.step.testPurchase.button',
    permission: 'test-event.send',
  },
  INSPECT_RESPONSE: {
    title: 'setUp.step.inspectResponse.title',
    text: 'setUp.step.inspectResponse.text',
    path: '/events',
    button: 'setUp.step.inspectResponse.button',
    permission: 'read',
  },
  TEST_REFUND: {
    title: 'setUp.step.testRefund.title',
    text: 'setUp.step.testRefund.text',
    path: '/console?type=refund',
    button: 'setUp.step.testRefund.button',
    permission: 'test-event.send',
  },
  VERIFY: {
    title: 'setUp.step.verify.title',
    text: 'setUp.step.verify.text',
    path: '/events',
    button: 'setUp.step.inspectResponse.button',
    permission: 'read',
  },
  GO_LIVE: {
    title: 'setUp.step.goLive.title',
    text: 'setUp.step.goLive.text',
    path: '/go-live',
    button: 'setUp.step.goLive.button',
    permission: 'partner.request-go-live',
  },
  LIVE_KEY: {
    title: 'setUp.step.liveKey.title',
    text: 'setUp.step.liveKey.text',
    path: '/keys/live/new',
    button: 'setUp.step.liveKey.button',
    permission: 'credential.live',
  },
};

export function wordsOfStep(step: SetUpStep): StepWords {
  const { title, text, button, ...where } = steps[step];
  return { ...where, title: say(title), text: say(text), button: say(button) };
}
