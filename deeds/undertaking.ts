import type { Mode, WalletRef } from '../domain/events.ts';
import type { GraveAction, GraveMatter } from '../domain/four-eyes.ts';
import type { Role } from '../domain/operator-roles.ts';
import type { CredentialFields } from '../models/commands/create-credential.ts';
import type { OperatorFields } from '../models/commands/create-operator.ts';
import type { Completion, Deed, Doer } from '../models/commands/deeds.ts';
import type { Deposit } from '../models/commands/deposit.ts';
import type { eraseCustomer } from '../models/commands/erase-customer.ts';
import type { Invited } from '../models/commands/invite-user.ts';
import type { RevealedToken } from '../models/commands/new-operator-token.ts';
import type { RevealedSecret } from '../models/commands/new-secret.ts';
import type { Redemption, redeem } from '../models/commands/redeem.ts';
import type { OfCustomer } from '../models/data-keys.ts';
import type { CustomerRef } from '../models/ledger/index.ts';
import type { AdminDoc } from '../models/schemas/admin.ts';
import type { InvitationDoc } from '../models/schemas/invitation.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import type { ReviewDoc } from '../models/schemas/review.ts';
import type { IdKind } from '../platform/ids.ts';
import type { Decision, ReviewOfCustomer } from './decide-review.ts';
import type { Deposited } from './fund-wallet.ts';

/** What each grave action is asked with, and what comes of it. */
interface Graves {
  'partner.top-up': { asked: { wallet: WalletRef; money: Deposit }; outcome: Deposited };
  'customer.redeem': {
    asked: { customer: CustomerRef; redemption: Redemption };
    outcome: Awaited<ReturnType<typeof redeem>>;
  };
  'review.decide': {
    asked: { review: ReviewOfCustomer; verdict: Decision };
    outcome: ReviewDoc;
  };
  'customer.erase': {
    asked: { customer: CustomerRef; reference: string };
    outcome: Awaited<ReturnType<typeof eraseCustomer>>;
  };
  'partner.approve-go-live': { asked: { partnerId: string }; outcome: PartnerDoc };
  'partner.invite': { asked: Invited; outcome: InvitationDoc };
  'credential.create': { asked: CredentialFields; outcome: RevealedSecret };
  'credential.rotate': {
    asked: { partnerId: string; credentialId: string; mode: Mode };
    outcome: RevealedSecret;
  };
  'operator.create': { asked: OperatorFields; outcome: RevealedToken };
  'operator.change-role': {
    asked: { operatorId: string; from: Role; to: Role };
    outcome: AdminDoc;
  };
  'operator.rotate-token': { asked: { operatorId: string }; outcome: RevealedToken };
  'operator.reset-second-factor': { asked: { operatorId: string }; outcome: AdminDoc };
}

export type Asked<A extends GraveAction> = Graves[A]['asked'];
export type Outcome<A extends GraveAction> = Graves[A]['outcome'];

/** Under whose name it is done, and under which ids. */
export interface By {
  doer: Doer;
  /** The id of what the command makes: of a proposal always the same, so that doing it again is safe. */
  idOf(kind: IdKind): string;
}

/**
 * How something grave is done: the same way at once, and once it is approved. Its arguments are all
 * that it needs, checked; JSON, and never a secret.
 */
export interface Undertaking<A extends GraveAction> {
  /** What is wrong with the arguments, in words, before it is done or proposed. */
  problemOf?(asked: Asked<A>): string | undefined;
  /** What decides whether it needs two. */
  matterOf(asked: Asked<A>): GraveMatter | Promise<GraveMatter>;
  /** What the trail keeps of it, and the other operators read in the list of proposals. */
  deedOf(asked: Asked<A>, doer: Doer): Deed;
  /** Safe to repeat, under the same reference or the same ids. */
  command(asked: Asked<A>, by: By): Promise<Outcome<A>>;
  /** Where the arguments may say something of a customer: whose they are. */
  customerOf?(asked: Asked<A>): OfCustomer;
  completionOf?(outcome: Outcome<A>): Completion;
}

export type Undertakings = { [A in GraveAction]: Undertaking<A> };

/** Something grave that is done. */
export type Done<A extends GraveAction = GraveAction> = {
  [Each in A]: { action: Each; asked: Asked<Each>; outcome: Outcome<Each> };
}[A];
