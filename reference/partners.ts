import { get, patch, post, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import {
  choice,
  flag,
  instant,
  likeOrNull,
  list,
  object,
  optional,
  orNull,
  type Schema,
  text,
  whole,
} from './shapes.ts';
import { Proposed, page } from './shared.ts';

export const RedemptionSettings: Schema = object(
  {
    isAllowed: flag('Whether customers can redeem points.'),
    pointsPerUnit: orNull(
      whole('Points for one unit of the currency; null if a point pays for what it cost.', {
        minimum: 1,
        maximum: 1000000,
      }),
    ),
    maxPointsPerCustomerDay: orNull(
      whole('The most points that a customer can redeem in a day; null for no limit.', {
        minimum: 1,
        maximum: 1000000000,
      }),
    ),
  },
  { description: "How the partner's customers can redeem their points." },
);

export const GoLiveState: Schema = choice(
  ['SANDBOX', 'IN_REVIEW', 'CHANGES_REQUESTED', 'LIVE'],
  '`SANDBOX`: not requested yet. `IN_REVIEW`: an operator decides. `CHANGES_REQUESTED`: returned with changes requested. `LIVE`: approved.',
);

export const Branding: Schema = object(
  {
    language: choice(
      ['en', 'de', 'fr', 'es'],
      'The language of messages to customers: English `en`, German `de`, French `fr` or Spanish `es`.',
    ),
    timeZone: orNull(
      text(
        "IANA name of the time zone used in messages to customers. If null, that of the profile or of the partner's country.",
        { example: 'Europe/Berlin' },
      ),
    ),
    color: orNull(
      text('The color of messages and pages, as `#rrggbb`; null for the usual one.', {
        pattern: '^#[0-9a-f]{6}$',
      }),
    ),
    spendText: orNull(text('Where points can be spent.', { maxLength: 200 })),
    spendUrl: orNull(
      text('The page on which points can be spent; null without one.', {
        format: 'uri',
        maxLength: 500,
      }),
    ),
    logo: optional(
      object(
        {
          hash: text('Identifies the image.', { pattern: '^[0-9a-f]{32}$' }),
          type: choice(['png', 'jpg'], 'The format: `png` or `jpg`.'),
          width: whole('In pixels.', { minimum: 1, maximum: 1200 }),
          height: whole('In pixels.', { minimum: 1, maximum: 600 }),
        },
        {
          description: 'Absent if there is no logo. The portal serves it at /logos/{hash}.{type}.',
        },
      ),
    ),
  },
  { description: "What the partner's customers see: set by an owner in the portal." },
);

export const MaxPointMicros: Schema = whole(
  'The most that a point of a LIVE rule can cost, in millionths of the currency unit. Changing it requires an approval.',
  { minimum: 0, maximum: 1000000000 },
);

export const MaxRewardCents: Schema = whole(
  'The most that a reward of a LIVE rule can cost. It also caps a rule that has no cap per order. Changing it requires an approval.',
  { minimum: 0, maximum: 100000000000 },
);

export const Partner: Schema = object({
  partnerId: text('The partner, `prt_…`.'),
  name: text('The name that customers and operators see.', {
    minLength: 1,
    maxLength: 100,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
  status: choice(
    ['ACTIVE', 'SUSPENDED'],
    '`ACTIVE`: the partner can do everything. `SUSPENDED`: it can only report refunds and end redemptions; its customers can neither claim nor redeem.',
  ),
  legalName: orNull(
    text('The name for invoices and contracts.', {
      minLength: 1,
      maxLength: 200,
      pattern:
        '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
    }),
  ),
  billingAddress: orNull(
    text('The address for invoices, in up to 8 lines, without the country.', {
      minLength: 1,
      maxLength: 500,
    }),
  ),
  taxId: orNull(
    text('As stated on invoices.', {
      minLength: 1,
      maxLength: 50,
      pattern:
        '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
    }),
  ),
  website: orNull(
    text('The address of the partner’s website, `http://` or `https://`.', {
      maxLength: 255,
      pattern: '^https?://',
    }),
  ),
  supportEmail: orNull(text('Where customers can get help.', { format: 'email', maxLength: 255 })),
  goLiveMinimumFundingCents: whole(
    'The LIVE funding that the partner needs before it can go live.',
    { minimum: 0, maximum: 100000000000 },
  ),
  goLiveState: GoLiveState,
  country: orNull(
    text(
      'ISO 3166-1 alpha-2, `null` until it is chosen. Used to read phone numbers without a country code.',
      { pattern: '^[A-Z]{2}$' },
    ),
  ),
  timeZone: orNull(
    text(
      "IANA name of the time zone in which customers' days begin and end. If null, that of the country, if it has one only.",
      { example: 'America/Chicago' },
    ),
  ),
  apiRateLimitPerMinute: whole(
    "The rate limit without a subscription. With one, the plan version's applies.",
    { minimum: 1, maximum: 1000000 },
  ),
  currency: text('The currency of its LIVE funding.', { pattern: '^[A-Z]{3}$' }),
  contactEmail: orNull(
    text('The address for notices about funding.', { format: 'email', maxLength: 255 }),
  ),
  verifiedContactEmail: orNull(
    text(
      'The contact address that was verified. Nothing is sent to a contact that is not verified.',
    ),
  ),
  branding: likeOrNull(Branding, 'What its customers see; null until an owner sets it.'),
  redemptions: optional(RedemptionSettings),
  lowBalanceThresholdCents: whole(
    'The low-balance threshold, in minor units: `funding.low` is sent when the available LIVE funding falls below it.',
    { minimum: 0, maximum: 100000000000 },
  ),
  maxPointMicros: MaxPointMicros,
  maxRewardCents: MaxRewardCents,
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
});

export const ChecklistItem: Schema = object({
  requirement: choice(
    [
      'PROFILE',
      'EARNING_RULE',
      'FUNDING',
      'INTEGRATION',
      'TEST_PURCHASE',
      'TEST_REFUND',
      'APPROVAL',
    ],
    '`PROFILE`: the profile is filled in. `EARNING_RULE`: a LIVE earning rule is active. `FUNDING`: the LIVE funding is sufficient. `INTEGRATION`: an integration exists. `TEST_PURCHASE`, `TEST_REFUND`: a TEST purchase and its refund were accepted. `APPROVAL`: an operator approved.',
  ),
  met: flag('Whether it is done.'),
  evidence: list(text(), 'The ids of what the item is based on.'),
  missing: orNull(text('What is missing.')),
});

export const GoLive: Schema = object({
  partnerId: text('The partner, `prt_…`.'),
  state: GoLiveState,
  requestedAt: orNull(instant('When go-live was last requested, ISO 8601 in UTC; null before.')),
  reviewerId: orNull(text('Who approved or returned the newest request.')),
  decidedAt: orNull(
    instant('When the newest request was approved or returned, ISO 8601 in UTC; null before.'),
  ),
  reason: orNull(text('Why it was returned.')),
  ready: flag('True if only the approval is missing.'),
  items: list(ChecklistItem, 'The checklist.'),
});

export const PartnerCreate: Schema = object({
  name: text('Text that an email client would not turn into a link.', {
    minLength: 1,
    maxLength: 100,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
  status: optional(
    choice(
      ['ACTIVE', 'SUSPENDED'],
      '`ACTIVE`: the partner can do everything. `SUSPENDED`: it can only report refunds and end redemptions; its customers can neither claim nor redeem.',
    ),
  ),
  legalName: optional(
    orNull(
      text('The name for invoices and contracts.', {
        minLength: 1,
        maxLength: 200,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    ),
  ),
  billingAddress: optional(
    orNull(
      text('The address for invoices, in up to 8 lines, without the country.', {
        minLength: 1,
        maxLength: 500,
      }),
    ),
  ),
  taxId: optional(
    orNull(
      text('As stated on invoices.', {
        minLength: 1,
        maxLength: 50,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    ),
  ),
  website: optional(
    orNull(
      text('The address of the partner’s website, `http://` or `https://`.', {
        maxLength: 255,
        pattern: '^https?://',
      }),
    ),
  ),
  supportEmail: optional(
    orNull(text('Where customers can get help.', { format: 'email', maxLength: 255 })),
  ),
  goLiveMinimumFundingCents: optional(
    whole('The LIVE funding that the partner needs before it can go live.', {
      minimum: 0,
      maximum: 100000000000,
    }),
  ),
  country: optional(
    text('ISO 3166-1 alpha-2. Used to read phone numbers without a country code.', {
      pattern: '^[A-Z]{2}$',
    }),
  ),
  timeZone: optional(
    orNull(
      text(
        "IANA name of the time zone in which customers' days begin and end. If null, that of the country, if it has one only.",
        { example: 'America/Chicago' },
      ),
    ),
  ),
  apiRateLimitPerMinute: optional(
    whole("The rate limit without a subscription. With one, the plan version's applies.", {
      minimum: 1,
      maximum: 1000000,
    }),
  ),
  currency: optional(text('The currency of its LIVE funding.', { pattern: '^[A-Z]{3}$' })),
  contactEmail: optional(
    orNull(text('The address for notices about funding.', { format: 'email', maxLength: 255 })),
  ),
  lowBalanceThresholdCents: optional(
    whole(
      'The low-balance threshold, in minor units: `funding.low` is sent when the available LIVE funding falls below it.',
      { minimum: 0, maximum: 100000000000 },
    ),
  ),
});

export const PartnerUpdate: Schema = object(
  {
    name: optional(
      text('Text that an email client would not turn into a link.', {
        minLength: 1,
        maxLength: 100,
        pattern:
          '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
      }),
    ),
    status: optional(
      choice(
        ['ACTIVE', 'SUSPENDED'],
        '`ACTIVE`: the partner can do everything. `SUSPENDED`: it can only report refunds and end redemptions; its customers can neither claim nor redeem.',
      ),
    ),
    legalName: optional(
      orNull(
        text('The name for invoices and contracts.', {
          minLength: 1,
          maxLength: 200,
          pattern:
            '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
        }),
      ),
    ),
    billingAddress: optional(
      orNull(
        text('The address for invoices, in up to 8 lines, without the country.', {
          minLength: 1,
          maxLength: 500,
        }),
      ),
    ),
    taxId: optional(
      orNull(
        text('As stated on invoices.', {
          minLength: 1,
          maxLength: 50,
          pattern:
            '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
        }),
      ),
    ),
    website: optional(
      orNull(
        text('The address of the partner’s website, `http://` or `https://`.', {
          maxLength: 255,
          pattern: '^https?://',
        }),
      ),
    ),
    supportEmail: optional(
      orNull(text('Where customers can get help.', { format: 'email', maxLength: 255 })),
    ),
    goLiveMinimumFundingCents: optional(
      whole('The LIVE funding that the partner needs before it can go live.', {
        minimum: 0,
        maximum: 100000000000,
      }),
    ),
    country: optional(
      text('ISO 3166-1 alpha-2. Used to read phone numbers without a country code.', {
        pattern: '^[A-Z]{2}$',
      }),
    ),
    timeZone: optional(
      orNull(
        text(
          "IANA name of the time zone in which customers' days begin and end. If null, that of the country, if it has one only.",
          { example: 'America/Chicago' },
        ),
      ),
    ),
    apiRateLimitPerMinute: optional(
      whole("The rate limit without a subscription. With one, the plan version's applies.", {
        minimum: 1,
        maximum: 1000000,
      }),
    ),
    currency: optional(text('The currency of its LIVE funding.', { pattern: '^[A-Z]{3}$' })),
    contactEmail: optional(
      orNull(text('The address for notices about funding.', { format: 'email', maxLength: 255 })),
    ),
    redemptions: optional(RedemptionSettings),
    lowBalanceThresholdCents: optional(
      whole(
        'The low-balance threshold, in minor units: `funding.low` is sent when the available LIVE funding falls below it.',
        { minimum: 0, maximum: 100000000000 },
      ),
    ),
    maxPointMicros: optional(MaxPointMicros),
    maxRewardCents: optional(MaxRewardCents),
  },
  { minProperties: 1 },
);

export const Delivery: Schema = choice(
  {
    SERVICE: 'the service, by email or, without an address, by text message',
    PARTNER: 'the partner, which receives `reward.claimUrl` in the response to each purchase',
  },
  'Who delivers claim links to customers',
);

export const Integration: Schema = object({
  integrationId: text('The integration, `int_…`.', { minLength: 1 }),
  partnerId: text('The partner, `prt_…`.'),
  name: text('Its name.'),
  delivery: Delivery,
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
});

export const IntegrationUpdate: Schema = object({ delivery: Delivery });

export const IntegrationCreate: Schema = object({
  name: text('Its name.', {
    minLength: 1,
    maxLength: 100,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const Reason: Schema = object({
  reason: text('Why it is done, in your own words.', {
    minLength: 1,
    maxLength: 500,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const UserRole: Schema = choice(
  ['owner', 'developer', 'viewer'],
  '`owner` does everything, also in LIVE. `developer` builds and tests the integration. `viewer` reads.',
);

export const InvitationCreate: Schema = object({
  email: text('The address to which the invitation is sent.', { format: 'email', maxLength: 255 }),
  role: optional(UserRole),
});

export const Invitation: Schema = object({
  invitationId: text('The invitation.'),
  partnerId: text('The partner, `prt_…`.'),
  email: text('The address to which it was sent.'),
  role: UserRole,
  expiresAt: instant('When it expires, ISO 8601 in UTC.'),
});

export const partners = section('Partners', 'Partners and their integrations.', [
  get('/admin/v1/partners', {
    id: 'listPartners',
    summary: 'List partners',
    by: 'operator',
    parameters: [at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(Partner)] },
    errors: { 400: refused.InvalidInput },
  }),
  post('/admin/v1/partners', {
    id: 'createPartner',
    summary: 'Create a partner',
    by: 'operator',
    body: PartnerCreate,
    gives: { 201: ['The partner is created.', Partner] },
    errors: { 400: refused.InvalidInput },
  }),
  get('/admin/v1/partners/{partnerId}', {
    id: 'getPartner',
    summary: 'Retrieve a partner',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The partner.', Partner] },
    errors: { 404: refused.NotFound },
  }),
  patch('/admin/v1/partners/{partnerId}', {
    id: 'updatePartner',
    summary: 'Update a partner',
    description:
      'The currency cannot change once the partner has LIVE rules, LIVE funding or a subscription. To make a partner live, approve its go-live request.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: PartnerUpdate,
    gives: {
      200: ['The updated partner.', Partner],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/partners/{partnerId}/go-live', {
    id: 'getGoLive',
    summary: 'Retrieve a partner’s go-live checklist',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The checklist, computed from the stored state.', GoLive] },
    errors: { 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/go-live/request', {
    id: 'requestGoLive',
    summary: 'Request go-live',
    description:
      'Asks an operator to approve that the partner goes live. If anything but the approval is missing, returns 409 with what is missing.',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: { 200: ['The request is open.', GoLive] },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/go-live/approval', {
    id: 'approveGoLive',
    summary: 'Approve go-live',
    description:
      'Makes the partner live; there is no other way. Everything that the request was based on must still hold.',
    by: 'operator',
    parameters: [at.PartnerId],
    gives: {
      200: ['The partner is live.', GoLive],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/go-live/return', {
    id: 'returnGoLive',
    summary: 'Return a go-live request',
    description:
      'Returns the request with changes requested. The partner sees the reason, makes the changes and requests go-live again.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: Reason,
    gives: { 200: ['The request is returned.', GoLive] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  get('/admin/v1/partners/{partnerId}/integrations', {
    id: 'listIntegrations',
    summary: 'List a partner’s integrations',
    by: 'operator',
    parameters: [at.PartnerId, at.Limit, at.Cursor],
    gives: { 200: ['A page, newest first.', page(Integration)] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  post('/admin/v1/partners/{partnerId}/integrations', {
    id: 'createIntegration',
    summary: 'Create an integration',
    by: 'operator',
    parameters: [at.PartnerId],
    body: IntegrationCreate,
    gives: { 201: ['The integration is created.', Integration] },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound },
  }),
  patch('/admin/v1/partners/{partnerId}/integrations/{integrationId}', {
    id: 'updateIntegration',
    summary: 'Update who delivers an integration’s claim links',
    description:
      'Applies to later purchases. The API uses the new setting within seconds. For a LIVE partner it takes two operators.',
    by: 'operator',
    parameters: [at.PartnerId, at.IntegrationId],
    body: IntegrationUpdate,
    gives: {
      200: ['The updated integration.', Integration],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
  post('/admin/v1/partners/{partnerId}/invitations', {
    id: 'inviteUser',
    summary: 'Invite a user to the portal',
    description:
      'Sends an email with a link that is valid for a week. The first owner invites the others; another owner, or the owner of a live partner, requires an approval. A new invitation to the same address replaces the earlier one.',
    by: 'operator',
    parameters: [at.PartnerId],
    body: InvitationCreate,
    gives: {
      201: ['The invitation is sent.', Invitation],
      202: ['Another operator has to approve it first.', Proposed],
    },
    errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
  }),
]);
