import Joi from 'joi';
import { defaultOperatorNotices } from '../../domain/notices.ts';
import { isRaise, type Role, roles } from '../../domain/operator-roles.ts';
import { operatorsId } from '../../domain/webhooks.ts';
import { findOperator } from '../../models/identity/operators.ts';
import type { OperatorDoc } from '../../models/schemas/people.ts';
import { insertOnce } from '../../models/store/insert-once.ts';
import { saveNotices } from '../../models/webhooks/notices.ts';
import type { AuditDeps } from '../deps.ts';
import { emailField, shortText } from '../fields.ts';
import { sensitiveOperation } from '../operation.ts';
import { createOperatorUser } from './create-operator-user.ts';

export interface OperatorFields {
  name: string;
  role: Role;
  /** For signing in to the portal, where they create their own tokens. */
  email: string;
}

/** Creates an operator, who signs in by email, so that the creator learns no password and no token. */
export const createOperator = sensitiveOperation({
  name: 'operator.create',
  permission: { operator: 'operator.create', user: null },
  secondFactor: 'ALWAYS',
  input: Joi.object<OperatorFields>({
    name: shortText(100).required(),
    role: Joi.string()
      .valid(...roles)
      .required(),
    email: emailField.required(),
  }),
  find: () => null,
  approval: {
    facts: (_deps, { name, role, email }) => ({ name, role, email }),
    // Otherwise one admin could create the approver of their own proposals.
    needed: ({ role }: { role: Role }) => isRaise('viewer', role),
  },
  audit: ({ name, role }) => ({ partnerId: null, targetId: null, details: { name, role } }),

  /** @throws ServiceError CONFLICT if the address belongs to another user */
  async run(deps: AuditDeps, { name, role, email }, { actor, idOf }): Promise<OperatorDoc> {
    const { models, now } = deps;
    const at = new Date(now());
    const operator: OperatorDoc = {
      _id: idOf('operator'),
      name,
      role,
      tokens: [],
      introductions: [{ by: actor.id, at, confirmedBy: null }],
      createdAt: at,
      revokedAt: null,
    };
    const { _id: userId } = await createOperatorUser(deps, operator, { email });
    const whose = { partnerId: operatorsId, userId };
    await saveNotices(models, whose, defaultOperatorNotices[role], 'AT_ONCE', at);
    await insertOnce(() => models.operators.create(operator));
    return await findOperator(models, operator._id);
  },

  completion: ({ _id: targetId }) => ({ targetId }),
});
