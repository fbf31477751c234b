import type { PartnerPermission } from '../../domain/partner-roles.ts';
import type { SetUpStep } from '../../domain/set-up.ts';

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
export const stepWords: Record<SetUpStep, StepWords> = {
  INTEGRATION: {
    title: 'Create an integration',
    text: 'One of your systems that sends events, such as your web shop. It takes a name, and gets its first TEST key.',
    ...{ path: '/integrations/new', button: 'Create an integration' },
    permission: 'integration.create',
  },
  TEST_KEY: {
    title: 'Generate a TEST API key',
    text: 'A key says who sends, and its secret signs. TEST changes no balance.',
    ...{ path: '/keys/test/new', button: 'Generate a TEST key' },
    permission: 'credential.test',
  },
  STORE_SECRET: {
    title: 'Store the raw secret securely',
    text: 'It was shown once. Keep it in your secret store; the first request that it signs completes this step. Lost it? Rotate.',
    ...{ path: '/console', button: 'Sign a first request' },
    permission: 'test-event.send',
  },
  EARNING_RULE: {
    title: 'Create an earning rule',
    text: 'It says how many points a purchase earns. Without an active one purchases are refused.',
    ...{ path: '/rules/test/new', button: 'Create a rule' },
    permission: 'earning-rule.test',
  },
  TEST_FUNDING: {
    title: 'Add test funding, if applicable',
    text: 'Only if you want to see rewards wait for funds: without any, every TEST reward counts as funded.',
    ...{ path: '/integrations', button: 'Add test funding' },
    permission: 'integration.test-funding',
  },
  TEST_PURCHASE: {
    title: 'Send a signed TEST purchase',
    text: 'From the test console to see how signing works, or from your own system.',
    ...{ path: '/console', button: 'Open the test console' },
    permission: 'test-event.send',
  },
  INSPECT_RESPONSE: {
    title: 'Inspect the response',
    text: 'The answer names the reward and its points. Look at the event to see why it has that many.',
    ...{ path: '/events', button: 'Open the events log' },
    permission: 'read',
  },
  TEST_REFUND: {
    title: 'Send a matching refund',
    text: 'For the same externalOrderId. The reward is cancelled.',
    ...{ path: '/console?type=refund', button: 'Send a refund' },
    permission: 'test-event.send',
  },
  VERIFY: {
    title: 'Verify the integration',
    text: 'Purchase and refund meet in one reward, which the refund has cancelled. This completes by itself, a moment after the refund.',
    ...{ path: '/events', button: 'Open the events log' },
    permission: 'read',
  },
  GO_LIVE: {
    title: 'Request go-live',
    text: 'With a complete profile, an active LIVE rule and funding. An operator reviews it.',
    ...{ path: '/go-live', button: 'Open the checklist' },
    permission: 'partner.request-go-live',
  },
  LIVE_KEY: {
    title: 'Generate LIVE credentials',
    text: 'Once go-live is approved. LIVE keys make real rewards.',
    ...{ path: '/keys/live/new', button: 'Generate a LIVE key' },
    permission: 'credential.live',
  },
};
