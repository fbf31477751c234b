import { get, patch, post, remove, section } from './operations.ts';
import * as at from './parameters.ts';
import * as refused from './responses.ts';
import { choice, instant, like, list, object, orNull, type Schema, text } from './shapes.ts';
import { Proposal, ProposalFields, Proposed, page } from './shared.ts';

export const Role: Schema = choice(
  ['viewer', 'support', 'finance', 'admin'],
  'What the operator can do: `viewer` reads, `support` also decides reviews and helps with rewards, `finance` also moves money and manages plans, `admin` does everything.',
);

export const OperatorToken: Schema = object({
  tokenId: text('The token.'),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  expiresAt: instant('When it expires, ISO 8601 in UTC.'),
  lastUsedAt: orNull(instant('To the minute.')),
  lastUsedFrom: orNull(text('The network address.')),
  revokedAt: orNull(instant('When it was revoked, ISO 8601 in UTC; null before.')),
});

export const Introduction: Schema = object({
  by: text('The operator who proposed or approved it.'),
  at: instant('When it happened, ISO 8601 in UTC.'),
  confirmedBy: orNull(text('A third operator, who confirmed that they know them.')),
});

export const Operator: Schema = object({
  operatorId: text('The operator, `opr_…`.'),
  name: text('The name.'),
  role: Role,
  tokens: list(OperatorToken, 'The operator’s tokens, without their values.'),
  introductions: list(
    Introduction,
    'Everybody who proposed or approved this operator, a higher role of theirs, or a reset of their second factor.',
  ),
  createdAt: instant('When it was created, ISO 8601 in UTC.'),
  revokedAt: orNull(instant('When it was revoked, ISO 8601 in UTC; null before.')),
});

export const OperatorCreate: Schema = object({
  name: text('The name that colleagues see.', {
    minLength: 1,
    maxLength: 100,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x1f\\x7f-\\x9f\\u2028\\u2029]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
  role: Role,
  email: text('The address to which the portal sends sign-in links.', {
    format: 'email',
    maxLength: 255,
  }),
});

export const RoleChange: Schema = object({ role: Role });

export const RevealedToken: Schema = object({
  operator: like(Operator, 'The operator.'),
  tokenId: text('The token.'),
  token: text('The bearer token. Only this response contains it.'),
});

export const ProposalDetail: Schema = {
  like: ProposalFields,
  required: ['arguments'],
  properties: {
    arguments: orNull({
      type: 'object',
      description: 'Null once the customer whom the arguments name was erased.',
    }),
  },
  unevaluatedProperties: false,
};

export const Approval: Schema = object({
  proposal: like(Proposal, 'The proposal.'),
  result: orNull({
    type: 'object',
    description: 'What this operation returns when it needs no approval.',
  }),
});

export const RejectionCreate: Schema = object({
  reason: text('Why it is rejected.', {
    minLength: 1,
    maxLength: 500,
    pattern:
      '^[^\\s\\x00-\\x1f\\x7f-\\x9f]([^\\x00-\\x08\\x0b\\x0c\\x0e-\\x1f\\x7f-\\x9f]*[^\\s\\x00-\\x1f\\x7f-\\x9f])?$',
  }),
});

export const operators = section(
  'Operators',
  'Operators, their tokens, and the approvals of sensitive operations.',
  [
    get('/admin/v1/operators', {
      id: 'listOperators',
      summary: 'List operators',
      by: 'operator',
      parameters: [at.Limit, at.Cursor],
      gives: { 200: ['A page, newest first.', page(Operator)] },
      errors: { 400: refused.InvalidInput },
    }),
    post('/admin/v1/operators', {
      id: 'createOperator',
      summary: 'Create an operator',
      description:
        'Any role above viewer requires an approval. The operator signs in to the portal by email and creates their own tokens there.',
      by: 'operator',
      body: OperatorCreate,
      gives: {
        201: ['The operator is created.', Operator],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 400: refused.InvalidInput, 409: refused.Conflict },
    }),
    get('/admin/v1/operators/me', {
      id: 'getMe',
      summary: 'Retrieve the authenticated operator',
      by: 'operator',
      gives: { 200: ['The operator.', Operator] },
    }),
    post('/admin/v1/operators/me/tokens', {
      id: 'rotateOwnToken',
      summary: 'Create a token for yourself',
      by: 'operator',
      gives: { 201: ['The token is created. Only this response contains it.', RevealedToken] },
      errors: { 409: refused.Conflict },
    }),
    remove('/admin/v1/operators/me/tokens/{tokenId}', {
      id: 'revokeOwnToken',
      summary: 'Revoke one of your tokens',
      by: 'operator',
      parameters: [at.TokenId],
      gives: { 200: ['The updated operator.', Operator] },
      errors: { 404: refused.NotFound },
    }),
    get('/admin/v1/operators/{operatorId}', {
      id: 'getOperator',
      summary: 'Retrieve an operator',
      by: 'operator',
      parameters: [at.OperatorId],
      gives: { 200: ['The operator.', Operator] },
      errors: { 404: refused.NotFound },
    }),
    patch('/admin/v1/operators/{operatorId}', {
      id: 'changeRole',
      summary: 'Change an operator’s role',
      description:
        'A role with more permissions requires an approval. The last two operators with the role `admin` keep it: 409.',
      by: 'operator',
      parameters: [at.OperatorId],
      body: RoleChange,
      gives: {
        200: ['The updated operator.', Operator],
        202: ['Another operator has to approve it first.', Proposed],
      },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
    }),
    remove('/admin/v1/operators/{operatorId}', {
      id: 'revokeOperator',
      summary: 'Revoke an operator',
      description:
        'Also revokes their tokens. The last two operators with the role `admin` cannot be revoked: 409.',
      by: 'operator',
      parameters: [at.OperatorId],
      gives: { 200: ['The revoked operator.', Operator] },
      errors: { 404: refused.NotFound, 409: refused.Conflict },
    }),
    post('/admin/v1/operators/{operatorId}/confirmation', {
      id: 'confirmOperator',
      summary: 'Confirm an operator',
      description:
        "For 30 days after an operator is created or given a higher role, they and the operator who proposed it cannot approve each other's proposals, unless a third operator confirms them.",
      by: 'operator',
      parameters: [at.OperatorId],
      gives: { 200: ['The confirmed operator.', Operator] },
      errors: { 404: refused.NotFound },
    }),
    remove('/admin/v1/operators/{operatorId}/tokens/{tokenId}', {
      id: 'revokeToken',
      summary: 'Revoke an operator’s token',
      by: 'operator',
      parameters: [at.OperatorId, at.TokenId],
      gives: { 200: ['The updated operator.', Operator] },
      errors: { 404: refused.NotFound },
    }),
    get('/admin/v1/proposals', {
      id: 'listProposals',
      summary: 'List proposals',
      by: 'operator',
      parameters: [at.ProposalStatusFilter, at.PartnerFilter, at.Limit, at.Cursor],
      gives: { 200: ['A page, newest first.', page(Proposal)] },
      errors: { 400: refused.InvalidInput },
    }),
    get('/admin/v1/proposals/{proposalId}', {
      id: 'getProposal',
      summary: 'Retrieve a proposal',
      description: 'The response contains the arguments. The read is recorded in the audit log.',
      by: 'operator',
      parameters: [at.ProposalId],
      gives: { 200: ['The proposal.', ProposalDetail] },
      errors: { 404: refused.NotFound },
    }),
    post('/admin/v1/proposals/{proposalId}/approval', {
      id: 'approveProposal',
      summary: 'Approve a proposal',
      description:
        'Must be called within a day, by an operator other than the proposer who has the permission for the operation. If the process stops midway, approving again as the same operator completes it. The result is `null` once it was returned.',
      by: 'operator',
      parameters: [at.ProposalId],
      gives: { 200: ['The operation is carried out.', Approval] },
      errors: { 404: refused.NotFound, 409: refused.Conflict },
    }),
    post('/admin/v1/proposals/{proposalId}/rejection', {
      id: 'rejectProposal',
      summary: 'Reject or withdraw a proposal',
      by: 'operator',
      parameters: [at.ProposalId],
      body: RejectionCreate,
      gives: { 200: ['The updated proposal.', Proposal] },
      errors: { 400: refused.InvalidInput, 404: refused.NotFound, 409: refused.Conflict },
    }),
  ],
);
