import {
  beginSession,
  changePassword,
  chooseNotices,
  chooseTimeZone,
  createAccessToken,
  endOwnSessions,
  enrollOwnFactor,
  giveSecondFactor,
  proveEmail,
  revokeAccessToken,
  sendEmailCode,
} from './account.ts';
import { closeAuditEntry } from './audit-entries.ts';
import { removeLogo, setLogo, updateBranding } from './branding.ts';
import {
  addConnectionSecret,
  createConnection,
  endConnection,
  removeConnectionReadKey,
  removeConnectionSecret,
  setConnectionReadKey,
  updateConnection,
} from './connections.ts';
import { beginContactEmail, confirmContactEmail } from './contact-email.ts';
import {
  createCredential,
  revokeCredential,
  revokeSecret,
  rotateCredential,
  showSecret,
} from './credentials.ts';
import { eraseCustomer, redeem } from './customers.ts';
import { retryDue } from './due.ts';
import { activateRule, createRule, deactivateRule } from './earning-rules.ts';
import { settleFailedRefund } from './failed-refunds.ts';
import { correctTopUp, withdraw } from './funding.ts';
import { approveGoLive, requestGoLive, returnGoLive } from './go-live.ts';
import { createIntegration, updateIntegration } from './integrations.ts';
import { recordPayment, reversePayment, voidInvoice } from './invoices.ts';
import { compareOrders, startBackTest, startExport, startStatementPdf } from './jobs.ts';
import { type AnyOperation, isSensitive } from './operation.ts';
import { revokeOperatorToken, revokeOwnToken, rotateOwnToken } from './operator-tokens.ts';
import {
  changeRole,
  confirmOperator,
  createOperator,
  resetOperatorFactor,
  revokeOperator,
} from './operators.ts';
import { createPartner, invitePartner, updatePartner } from './partners.ts';
import { addPasskey, givePasskey, removePasskey } from './passkeys.ts';
import { archivePlanVersion, createPlanVersion, publishPlanVersion } from './plans.ts';
import { changePointsEnd } from './points-end.ts';
import { rejectProposal } from './proposals.ts';
import { activatePolicy, createPolicy, deactivatePolicy } from './refund-policies.ts';
import { beginRehearsal, stopRehearsal } from './rehearsals.ts';
import { addReviewNote, answerReview, askPartner, assignReview, decideReview } from './reviews.ts';
import {
  cancelReward,
  correctContactOfReward,
  endHold,
  letOthersPass,
  reinstateReward,
  sendLinkAgain,
} from './rewards.ts';
import {
  createServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
} from './service-accounts.ts';
import { retireSigningKey } from './signing-keys.ts';
import { cancelSubscription, changePlan, subscribe } from './subscriptions.ts';
import {
  claimTestReward,
  endTestPoints,
  expireTestReward,
  matureTestReward,
} from './test-clock.ts';
import { sendTestRequest } from './test-console.ts';
import {
  acceptInvitation,
  changeUserRole,
  inviteUser,
  removeUser,
  resetUserFactor,
  revokeInvitation,
} from './users.ts';
import { beginViewing, endViewing } from './viewing.ts';
import { addTestFunding, topUp } from './wallets.ts';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listenToWebhooks,
  resendWebhook,
  resendWebhooks,
  rotateWebhookSecret,
  sendWebhookExample,
  showWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from './webhook-endpoints.ts';

/**
 * All operations. The tables of roles and threats in docs/ and the access tests are generated from this list,
 * and an approval finds the operation of a stored proposal in it.
 */
export const operations = [
  beginSession,
  changePassword,
  chooseNotices,
  chooseTimeZone,
  createAccessToken,
  endOwnSessions,
  sendEmailCode,
  proveEmail,
  enrollOwnFactor,
  giveSecondFactor,
  addPasskey,
  givePasskey,
  removePasskey,
  revokeAccessToken,
  closeAuditEntry,
  retryDue,
  retireSigningKey,
  beginRehearsal,
  stopRehearsal,
  createCredential,
  revokeSecret,
  revokeCredential,
  rotateCredential,
  showSecret,
  eraseCustomer,
  redeem,
  activateRule,
  createRule,
  deactivateRule,
  createPolicy,
  activatePolicy,
  deactivatePolicy,
  changePointsEnd,
  approveGoLive,
  requestGoLive,
  returnGoLive,
  createIntegration,
  updateIntegration,
  createConnection,
  updateConnection,
  addConnectionSecret,
  removeConnectionSecret,
  setConnectionReadKey,
  removeConnectionReadKey,
  endConnection,
  settleFailedRefund,
  compareOrders,
  startBackTest,
  startExport,
  startStatementPdf,
  changeRole,
  confirmOperator,
  createOperator,
  resetOperatorFactor,
  revokeOwnToken,
  revokeOperatorToken,
  revokeOperator,
  rotateOwnToken,
  createPartner,
  invitePartner,
  updatePartner,
  archivePlanVersion,
  createPlanVersion,
  publishPlanVersion,
  rejectProposal,
  decideReview,
  assignReview,
  addReviewNote,
  askPartner,
  answerReview,
  cancelReward,
  reinstateReward,
  endHold,
  letOthersPass,
  correctContactOfReward,
  sendLinkAgain,
  cancelSubscription,
  changePlan,
  subscribe,
  claimTestReward,
  expireTestReward,
  matureTestReward,
  endTestPoints,
  sendTestRequest,
  updateBranding,
  setLogo,
  removeLogo,
  beginContactEmail,
  confirmContactEmail,
  acceptInvitation,
  changeUserRole,
  inviteUser,
  removeUser,
  resetUserFactor,
  revokeInvitation,
  beginViewing,
  endViewing,
  addTestFunding,
  topUp,
  withdraw,
  correctTopUp,
  recordPayment,
  reversePayment,
  voidInvoice,
  createServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  showWebhookSecret,
  testWebhookEndpoint,
  sendWebhookExample,
  listenToWebhooks,
  resendWebhook,
  resendWebhooks,
] as const satisfies readonly AnyOperation[];

/** Of an operation that can need approval. */
export type SensitiveName = Extract<(typeof operations)[number], { approval: object }>['name'];

/** @param name the action of a stored proposal */
export function sensitiveOperationNamed(name: string) {
  const all: readonly AnyOperation[] = operations;
  const found = all.find((one) => one.name === name);
  if (found && isSensitive(found)) return found;
  throw new Error(`no sensitive operation is called ${name}`);
}
