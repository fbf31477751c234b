import type { SetUpStep } from '../../domain/go-live.ts';
import type { PartnerPermission } from '../../domain/partners.ts';

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
  Record<'title' | 'text' | 'button', string>;

/** The texts of the set-up steps. */
const steps: Readonly<Record<SetUpStep, StepKeys>> = {
  INTEGRATION: {
    title: 'Create an integration',
    text: 'One of your systems that sends events, such as your web shop. It only needs a name, and comes with its first TEST key.',
    path: '/integrations/new',
    button: 'Create integration',
    permission: 'integration.create',
  },
  TEST_KEY: {
    title: 'Generate a TEST API key',
    text: 'A key identifies the sender, and its secret signs requests. TEST changes no balance.',
    path: '/keys/new?mode=TEST',
    button: 'Generate TEST key',
    permission: 'credential.test',
  },
  STORE_SECRET: {
    title: 'Store the raw secret securely',
    text: 'It was shown once. Keep it in your secret store; the first request you sign with it completes this step. Lost it? Rotate it.',
    path: '/console',
    button: 'Sign a first request',
    permission: 'test-event.send',
  },
  EARNING_RULE: {
    title: 'Create an earning rule',
    text: 'A rule sets how many points a purchase earns. Without an active rule, purchases are refused.',
    path: '/rules/new?mode=TEST',
    button: 'Create rule',
    permission: 'earning-rule.test',
  },
  TEST_FUNDING: {
    title: 'Add test funding, if applicable',
    text: 'Only if you want to see rewards wait for funds: until you add test funding, every TEST reward is funded.',
    path: '/funding#test-funding',
    button: 'Add test funding',
    permission: 'test-funding.add',
  },
  TEST_PURCHASE: {
    title: 'Send a signed TEST purchase',
    text: 'From the test console to see how signing works, or from your own system.',
    path: '/console',
    button: 'Open test console',
    permission: 'test-event.send',
  },
  INSPECT_RESPONSE: {
    title: 'Inspect the response',
    text: 'The response names the reward and its points. Open the event to see how they were calculated.',
    path: '/events',
    button: 'Open request log',
    permission: 'read',
  },
  TEST_REFUND: {
    title: 'Send a matching refund',
    text: 'A refund with the purchase’s externalOrderId cancels its reward, or reduces it if only a part came back.',
    path: '/console?type=refund',
    button: 'Send refund',
    permission: 'test-event.send',
  },
  VERIFY: {
    title: 'Verify the integration',
    text: 'The purchase and its refund share one reward, which the refund changed. This step completes automatically a moment after the refund.',
    path: '/events',
    button: 'Open request log',
    permission: 'read',
  },
  GO_LIVE: {
    title: 'Request go-live',
    text: 'You need a complete profile, a rule and funding. An operator reviews the request.',
    path: '/home',
    button: 'Go to Home',
    permission: 'partner.request-go-live',
  },
  LIVE_KEY: {
    title: 'Generate LIVE credentials',
    text: 'LIVE keys create real rewards. They require an approved go-live.',
    path: '/keys/new?mode=LIVE',
    button: 'Generate LIVE key',
    permission: 'credential.live',
  },
};

/** A part of the set-up, which one person can do in one go. */
export interface SetUpStage {
  title: string;
  steps: readonly SetUpStep[];
}

/** The stages after that of the company itself, which is its profile and branding. */
export const stages: readonly SetUpStage[] = [
  { title: 'Integration', steps: ['INTEGRATION', 'TEST_KEY', 'STORE_SECRET', 'EARNING_RULE'] },
  {
    title: 'TEST evidence',
    steps: ['TEST_FUNDING', 'TEST_PURCHASE', 'INSPECT_RESPONSE', 'TEST_REFUND', 'VERIFY'],
  },
  { title: 'Go live', steps: ['GO_LIVE', 'LIVE_KEY'] },
];

export function wordsOfStep(step: SetUpStep): StepWords {
  const { title, text, button, ...where } = steps[step];
  return { ...where, title: title, text: text, button: button };
}
