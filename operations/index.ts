import { beginSession } from './account/begin-session.ts';
import { changePassword } from './account/change-password.ts';
import { chooseNotices } from './account/choose-notices.ts';
import { chooseTimeZone } from './account/choose-time-zone.ts';
import { createAccessToken } from './account/create-access-token.ts';
import { endOwnSessions } from './account/end-sessions.ts';
import { enrollOwnFactor } from './account/enroll-second-factor.ts';
import { giveSecondFactor } from './account/give-second-factor.ts';
import { proveEmail } from './account/prove-email.ts';
import { revokeAccessToken } from './account/revoke-access-token.ts';
import { sendEmailCode } from './account/send-email-code.ts';
import { closeAuditEntry } from './audit-entries/close.ts';
import { removeLogo } from './branding/remove-logo.ts';
import { setLogo } from './branding/set-logo.ts';
import { updateBranding } from './branding/update.ts';
import { beginContactEmail } from './contact-email/begin.ts';
import { confirmContactEmail } from './contact-email/confirm.ts';
import { createCredential } from './credentials/create.ts';
import { revokeCredential } from './credentials/revoke.ts';
import { revokeSecret } from './credentials/revoke-secret.ts';
import { rotateCredential } from './credentials/rotate.ts';
import { eraseCustomer } from './customers/erase.ts';
import { redeem } from './customers/redeem.ts';
import { activateRule } from './earning-rules/activate.ts';
import { createRule } from './earning-rules/create.ts';
import { deactivateRule } from './earning-rules/deactivate.ts';
import { approveGoLive } from './go-live/approve.ts';
import { requestGoLive } from './go-live/request.ts';
import { returnGoLive } from './go-live/return.ts';
import { createIntegration } from './integrations/create.ts';
import { updateIntegration } from './integrations/update.ts';
import { compareOrders } from './jobs/compare-orders.ts';
import { startBackTest } from './jobs/start-back-test.ts';
import { startExport } from './jobs/start-export.ts';
import { startInvoicePdf } from './jobs/start-invoice-pdf.ts';
import { type AnyOperation, isSensitive } from './operation.ts';
import { changeRole } from './operators/change-role.ts';
import { confirmOperator } from './operators/confirm.ts';
import { createOperator } from './operators/create.ts';
import { resetOperatorFactor } from './operators/reset-second-factor.ts';
import { revokeOperator } from './operators/revoke.ts';
import { revokeOwnToken } from './operators/revoke-own-token.ts';
import { revokeOperatorToken } from './operators/revoke-token.ts';
import { rotateOwnToken } from './operators/rotate-own-token.ts';
import { createPartner } from './partners/create.ts';
import { invitePartner } from './partners/invite.ts';
import { updatePartner } from './partners/update.ts';
import { archivePlanVersion } from './plans/archive.ts';
import { createPlanVersion } from './plans/create.ts';
import { publishPlanVersion } from './plans/publish.ts';
import { rejectProposal } from './proposals/reject.ts';
import { addReviewNote } from './reviews/add-note.ts';
import { answerReview } from './reviews/answer.ts';
import { askPartner } from './reviews/ask-partner.ts';
import { assignReview } from './reviews/assign.ts';
import { decideReview } from './reviews/decide.ts';
import { cancelReward } from './rewards/cancel.ts';
import { createServiceAccount } from './service-accounts/create.ts';
import { revokeServiceAccount } from './service-accounts/revoke.ts';
import { rotateServiceAccount } from './service-accounts/rotate.ts';
import { cancelSubscription } from './subscriptions/cancel.ts';
import { changePlan } from './subscriptions/change-plan.ts';
import { subscribe } from './subscriptions/create.ts';
import { claimTestReward } from './test-clock/claim.ts';
import { expireTestReward } from './test-clock/expire.ts';
import { sendTestRequest } from './test-console/send.ts';
import { acceptInvitation } from './users/accept-invitation.ts';
import { changeUserRole } from './users/change-role.ts';
import { inviteUser } from './users/invite.ts';
import { removeUser } from './users/remove.ts';
import { resetUserFactor } from './users/reset-second-factor.ts';
import { revokeInvitation } from './users/revoke-invitation.ts';
import { beginViewing } from './viewing/begin.ts';
import { endViewing } from './viewing/end.ts';
import { addTestFunding } from './wallets/add-test-funding.ts';
import { topUp } from './wallets/top-up.ts';
import { createWebhookEndpoint } from './webhook-endpoints/create.ts';
import { deleteWebhookEndpoint } from './webhook-endpoints/delete.ts';
import { listenToWebhooks } from './webhook-endpoints/listen.ts';
import { resendWebhook } from './webhook-endpoints/resend.ts';
import { resendWebhooks } from './webhook-endpoints/resend-range.ts';
import { rotateWebhookSecret } from './webhook-endpoints/rotate-secret.ts';
import { sendWebhookExample } from './webhook-endpoints/send-example.ts';
import { testWebhookEndpoint } from './webhook-endpoints/send-test.ts';
import { updateWebhookEndpoint } from './webhook-endpoints/update.ts';

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
  revokeAccessToken,
  closeAuditEntry,
  createCredential,
  revokeSecret,
  revokeCredential,
  rotateCredential,
  eraseCustomer,
  redeem,
  activateRule,
  createRule,
  deactivateRule,
  approveGoLive,
  requestGoLive,
  returnGoLive,
  createIntegration,
  updateIntegration,
  compareOrders,
  startBackTest,
  startExport,
  startInvoicePdf,
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
  cancelSubscription,
  changePlan,
  subscribe,
  claimTestReward,
  expireTestReward,
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
  createServiceAccount,
  revokeServiceAccount,
  rotateServiceAccount,
  createWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  sendWebhookExample,
  listenToWebhooks,
  resendWebhook,
  resendWebhooks,
] as const satisfies readonly AnyOperation[];

/** @param name the action of a stored proposal */
export function sensitiveOperationNamed(name: string) {
  const all: readonly AnyOperation[] = operations;
  const found = all.find((one) => one.name === name);
  if (found && isSensitive(found)) return found;
  throw new Error(`no sensitive operation is called ${name}`);
}
