import Joi from 'joi';
import { ServiceError } from '../../domain/errors.ts';
import { emailCodeMail } from '../../messaging/portal-mails.ts';
import { findSelfInSession } from '../../models/identity/own-user.ts';
import type { OperationDeps } from '../deps.ts';
import { idField } from '../fields.ts';
import { operation, ownAccount } from '../operation.ts';
import { codeMinutes, newProofCode, type ProofDeps } from '../proof-codes.ts';

/** Emails a code to one's own address, to prove in this session that one can read it. */
export const sendEmailCode = operation({
  name: 'own-email.send-code',
  permission: ownAccount,
  secondFactor: 'NEVER',
  input: Joi.object<{ sessionId: string }>({ sessionId: idField }),
  find: ({ models }, { sessionId }, { id }) => findSelfInSession(models, id, sessionId),
  approval: 'NONE',
  audit: ({ sessionId: targetId }, { user: { partnerId } }) => ({ partnerId, targetId }),

  /** @throws ServiceError CONFLICT for a user without an address */
  async run(
    deps: ProofDeps & Pick<OperationDeps, 'sendMessage'>,
    _input,
    { found: { user, session } },
  ): Promise<void> {
    if (user.email === null)
      throw new ServiceError('CONFLICT', 'Your account has no email address.');
    const { email: to } = user;
    const code = await newProofCode(deps, { kind: 'emailCode', of: session._id, to });
    await deps.sendMessage(emailCodeMail(to, { code, codeMinutes }));
  },
});
