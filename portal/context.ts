import type { Readable } from 'node:stream';
import type { Next, ParameterizedContext } from 'koa';
import type { Mode } from '../domain/mode.ts';
import type { Role } from '../domain/operator-roles.ts';
import type { PartnerRole } from '../domain/partner-roles.ts';
import type { ServiceAccountScope } from '../domain/service-accounts.ts';
import type { HttpState } from '../http/context.ts';
import type { PartnerDoc } from '../models/schemas/partner.ts';
import type { Flash, SessionDoc } from '../models/schemas/session.ts';
import type { UserDoc } from '../models/schemas/user.ts';
import type { NamedPartner } from '../models/views/match-partner.ts';
import type { LoadedAssets } from './assets/load.ts';
import type { IdFilter } from './forms/id-filters.ts';
import { withMode } from './html/keep-mode.ts';
import { defaultModeOf, modeIn } from './routing/chosen-mode.ts';

interface SignedIn {
  user: UserDoc;
  session: SessionDoc;
  /** Under which the audit trail knows them. */
  actorId: string;
}

/** An operator who looks at a partner's portal as its viewer does. */
export interface ViewingOperator {
  actorId: string;
  role: Role;
  endsAt: Date;
}

/** A user of a partner. All that they see and change is the partner's own. */
export interface PartnerViewer extends SignedIn {
  kind: 'partner';
  partner: PartnerDoc;
  role: PartnerRole;
  /** Until when they can go on without a second factor; null for who has one or needs none. */
  factorDueAt: Date | null;
  /** They enroll one before anything else. */
  mustEnroll: boolean;
  /** Set where it is an operator who looks, and changes nothing: `user` is theirs then. */
  operator?: ViewingOperator;
}

export interface OperatorViewer extends SignedIn {
  kind: 'operator';
  role: Role;
  /** What the menu says of the queue, up to a limit; read where a page with a menu is shown. */
  openReviews?: number;
}

/** A program that shows a user's access token: it does what that user of a partner may. */
export interface ProgramOfUser {
  kind: 'user';
  partner: PartnerDoc;
  role: PartnerRole;
  /** That of its user. */
  actorId: string;
}

/** One that shows the token of a service account, which reads in one mode. */
export interface ProgramOfService {
  kind: 'service';
  partner: PartnerDoc;
  mode: Mode;
  scopes: readonly ServiceAccountScope[];
  /** The account's id. */
  actorId: string;
}

export type ProgramViewer = ProgramOfUser | ProgramOfService;

export type Viewer = PartnerViewer | OperatorViewer;

/** What the middlewares hand on to each other and to the pages. */
export interface PortalState extends HttpState {
  assets: LoadedAssets;
  /** Whether a link to a page of ours would not be refused to who looks. @param link a path, maybe with a query */
  mayOpen(link: string): boolean;
  /** Null for a visitor who is not signed in. */
  viewer: Viewer | null;
  /** Set where a program asks, which is no viewer of pages. */
  program?: ProgramViewer;
  /** What a form of this visitor carries, and what its POST is held against. */
  csrf: string;
  /** Set where a page has a form: a visitor gets a cookie then, and not before. */
  hasForm?: boolean;
  /** Set where a list can be narrowed to a partner: the names to choose from, what was typed, whom it names. */
  partnerFilter?: { offered: NamedPartner[]; typed: string | undefined; found: NamedPartner[] };
  /** What the things are called that the page names by their ids. */
  nameOf?: ReadonlyMap<string, string>;
  /** Set where a list cannot have what was typed into a filter: it is no id. */
  unmatched?: { filter: IdFilter; typed: string }[];
  /** What the page before left to be said. */
  flash: Flash | null;
  /** What the next page is to say. */
  nextFlash?: Flash;
  /** The fields that were sent, without the CSRF token. */
  form?: Record<string, string | string[]>;
  /** The file that was sent, where one was chosen; it arrives as it is read. */
  file?: Readable;
}

export type PortalContext = ParameterizedContext<PortalState>;
export type PortalMiddleware = (ctx: PortalContext, next: Next) => Promise<void>;

/** Whom a route is for: anyone, anyone who is signed in, users of partners, or operators. */
export type Audience = 'public' | 'user' | 'partner' | 'operator';

interface ViewerOf {
  public: Viewer | null;
  user: Viewer;
  partner: PartnerViewer;
  operator: OperatorViewer;
}

interface ContextOf<V> {
  state: Omit<PortalState, 'viewer'> & { viewer: V };
  readonly params: Record<string, string | undefined>;
  readonly query: Record<string, string | string[] | undefined>;
  readonly path: string;
  /** The path with its query. */
  readonly url: string;
  readonly method: string;
  status: number;
  type: string;
  body: unknown;
  get(header: string): string;
  set(header: string, value: string): void;
  set(headers: Record<string, string>): void;
  append(header: string, value: string): void;
  vary(header: string): void;
  /** Which of some types is asked for first. */
  accepts(...types: string[]): string | false;
  /** Which of some languages is asked for first. */
  acceptsLanguages(...languages: string[]): string | false;
}

/** What a page or an action of an audience gets: what it needs of Koa's context, with who asks in it. */
export type PageContext<A extends Audience = Audience> = ContextOf<ViewerOf[A]>;

/** A part of the path; the route's pattern says that it is there, and its kind that it is well-formed. */
export function param({ params }: Pick<PageContext, 'params'>, name: string): string {
  const value = params[name];
  if (value === undefined) throw new Error(`the route has no :${name}`);
  return value;
}

/** A path that stays in the mode that a partner looks at, where that is not the usual one. */
export function inMode({ state, query }: Pick<PageContext, 'state' | 'query'>, to: string): string {
  const mode = modeIn({ query });
  if (state.viewer?.kind !== 'partner' || mode === undefined) return to;
  return mode === defaultModeOf(state.viewer.partner) ? to : withMode(to, mode, '&');
}

/**
 * Leads on after something was done.
 * @param to a path of the portal
 * @param said what the next page says
 */
export function redirect(
  ctx: Pick<PageContext, 'status' | 'set' | 'body' | 'state' | 'query'>,
  to: string,
  said?: string,
  tone: Flash['tone'] = 'good',
) {
  ctx.status = 303;
  ctx.set('Location', inMode(ctx, to));
  ctx.body = '';
  if (said !== undefined) ctx.state.nextFlash = { tone, text: said };
}
