import type { Readable } from 'node:stream';
import type { Next, ParameterizedContext } from 'koa';
import type { Mode } from '../domain/mode.ts';
import type { Role } from '../domain/operators.ts';
import type { PartnerRole, ServiceAccountScope } from '../domain/partners.ts';
import type { HttpState } from '../http/context.ts';
import type { SentForm } from '../models/identity/kept-forms.ts';
import type { PartnerDoc } from '../models/schemas/partners.ts';
import type { Flash, SessionDoc, UserDoc } from '../models/schemas/people.ts';
import type { Waiting } from '../views/console.ts';
import type { LoadedAssets } from './assets/load.ts';
import { withMode } from './components/mode-switch.ts';
import { defaultModeOf, modeIn } from './routing/modes.ts';

interface SignedIn {
  user: UserDoc;
  session: SessionDoc;
  /** The actor's id in the audit log. */
  actorId: string;
}

/** An operator who views a partner's portal with the rights of a viewer. */
export interface ViewingOperator {
  actorId: string;
  role: Role;
  endsAt: Date;
}

/** A user of a partner. They only see and change data of that partner. */
export interface PartnerViewer extends SignedIn {
  kind: 'partner';
  partner: PartnerDoc;
  role: PartnerRole;
  /** Deadline for setting up a second factor; null if they have one or need none. */
  factorDueAt: Date | null;
  /** They must enroll a second factor before anything else. */
  mustEnroll: boolean;
  /** Set if an operator is viewing, read-only; `user` is then the operator's. */
  operator?: ViewingOperator;
}

export interface OperatorViewer extends SignedIn {
  kind: 'operator';
  role: Role;
  /** The numbers in the menu, counted up to a limit; read only for pages that have a menu. */
  waiting?: Waiting;
}

/** A program with the access token of a partner's user: it has that user's permissions on the routes for programs. */
export interface ProgramOfUser {
  kind: 'user';
  partner: PartnerDoc;
  role: PartnerRole;
  /** The user's. */
  actorId: string;
}

/** A program with the token of a service account, which reads data of one mode. */
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

/** What middlewares pass to each other and to the pages. */
export interface PortalState extends HttpState {
  assets: LoadedAssets;
  /** Whether the viewer may open one of our pages. @param link a path, possibly with a query */
  mayOpen(link: string): boolean;
  /** Whether one of our pages, whoever may open it, is at a link. */
  isPage(link: string): boolean;
  /** Null for a visitor who is not signed in. */
  viewer: Viewer | null;
  /** The mode for which the viewer's permission was checked, if it depends on one. */
  checkedMode?: Mode;
  /** Set if the client is a program rather than a viewer of pages. */
  program?: ProgramViewer;
  /** The token in this visitor's forms, checked on every POST. */
  csrf: string;
  /** Set if the page has a form: only then does a visitor get a cookie. */
  hasForm?: boolean;
  /** Names of the things that the page shows, by id. */
  nameOf?: ReadonlyMap<string, string>;
  /** The message that the previous page left for this one. */
  flash: Flash | null;
  /** The message for the next page. */
  nextFlash?: Flash;
  /** The kept form that this request has freed, by its name, and the session's cookie from now on. */
  carryOn?: { name: string; token: string };
  /** The kept form that is being carried out. */
  sentBefore?: SentForm;
  /** What was wrong with the form that the page shows again, by field; '' for the whole form. */
  problems?: Readonly<Record<string, string>>;
  /** The submitted fields, without the CSRF token. */
  form?: Record<string, string | string[]>;
  /** The uploaded file, if one was selected; it streams as it is read. */
  file?: Readable;
}

export type PortalContext = ParameterizedContext<PortalState>;
export type PortalMiddleware = (ctx: PortalContext, next: Next) => Promise<void>;

/** Who a route is for: anyone, anyone signed in, users of partners, or operators. */
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
  /** The client's preferred type out of these. */
  accepts(...types: string[]): string | false;
  /** The client's preferred language out of these. */
  acceptsLanguages(...languages: string[]): string | false;
}

/** The part of Koa's context that a page or an action uses, with a viewer of its audience. */
export type PageContext<A extends Audience = Audience> = ContextOf<ViewerOf[A]>;

/** The mode for which the route's permission was checked: nothing else may be read or changed. */
export function checkedMode({ state }: { state: Pick<PortalState, 'checkedMode'> }): Mode {
  if (state.checkedMode === undefined) throw new Error('the route does not depend on a mode');
  return state.checkedMode;
}

/** The path in the mode that the partner is viewing, if that is not the default one. */
export function inMode({ state, query }: Pick<PageContext, 'state' | 'query'>, to: string): string {
  const mode = modeIn({ query });
  if (state.viewer?.kind !== 'partner' || mode === undefined) return to;
  return mode === defaultModeOf(state.viewer.partner) ? to : withMode(to, mode, '&');
}

/**
 * Redirects after an action.
 * @param to a path of the portal
 * @param said message for the next page
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
