import Joi from 'joi';
import { findCredential } from '../models/identity/credentials.ts';
import { idField } from './fields.ts';
import { operation } from './operation.ts';

/** The result of a request that was sent for a partner's user. */
export interface SentRequest {
  /** Null without a response. */
  status: number | null;
  headers: [name: string, value: string][];
  text: string;
  tookMs: number;
}

/** Sends the request as the partner's back end would. */
export interface SendDeps {
  send(): Promise<SentRequest>;
}

/** Sends a signed TEST request from the test console. */
export const sendTestRequest = operation({
  name: 'test-console.send',
  permission: { operator: null, user: 'test-event.send' },
  secondFactor: 'NEVER',
  input: Joi.object<{ credentialId: string; type: string }>({
    credentialId: idField,
    type: Joi.string().required(),
  }),
  find: ({ models }, { credentialId }) => findCredential(models, credentialId),
  approval: 'NONE',
  audit: ({ credentialId, type }, { partnerId }) => ({
    partnerId,
    targetId: credentialId,
    details: { type },
  }),

  run: ({ send }: SendDeps) => send(),

  completion: ({ status, headers }) => ({
    details: {
      status,
      requestId: headers.find(([name]) => name === 'x-request-id')?.[1] ?? null,
    },
  }),
});
