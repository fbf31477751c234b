import { get, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import { like, object, type Schema, text } from './shapes.ts';
import {
  ClaimableFrom,
  CustomerStatus,
  Mode,
  Points,
  RewardStatus,
  Success,
  Timestamp,
} from './shared.ts';

export const PartnerName: Schema = object(
  { name: text('The name that its customers know.', { example: 'Shop' }) },
  { description: 'The shop that the reward is from.' },
);

export const ClaimedReward: Schema = object(
  {
    points: like(Points, 'The points of the reward.'),
    status: RewardStatus,
    customerStatus: CustomerStatus,
    claimExpiresAt: like(Timestamp, 'The end of the claim window, ISO 8601 in UTC.'),
    claimableFrom: ClaimableFrom,
  },
  { description: 'The reward as its customer sees it.' },
);

export const Claim: Schema = object({
  success: Success,
  mode: Mode,
  partner: PartnerName,
  reward: ClaimedReward,
});

export const claims = section(
  'Claims',
  'Claim a reward with the link that the customer received.',
  [
    get('/claim/{token}', {
      id: 'showClaim',
      summary: 'Retrieve the reward of a claim link',
      description:
        'The claim link that the customer received. Returns JSON if `Accept` prefers `application/json`, and a page otherwise.',
      by: 'anyone',
      parameters: [at.ClaimToken],
      gives: { 200: ['The reward, as its customer sees it.', Claim] },
      errors: { 404: refused.NotFound },
    }),
    post('/claim/{token}', {
      id: 'claimReward',
      summary: 'Claim the reward',
      description:
        'Claims the reward of the link; claiming it again returns the same response. Returns JSON if `Accept` prefers `application/json`, and redirects to the page with 303 otherwise.',
      by: 'anyone',
      parameters: [at.ClaimToken],
      gives: { 200: ['The reward is claimed.', Claim] },
      errors: { 404: refused.NotFound, 409: refused.NotClaimable, 410: refused.ClaimExpired },
    }),
  ],
);
