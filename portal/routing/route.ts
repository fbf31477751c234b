import type { Mode } from '../../domain/mode.ts';
import type { Permission } from '../../domain/operators.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { AnyOperation } from '../../operations/operation.ts';
import type { Audience, PageContext } from '../context.ts';
import type { PageDeps } from '../deps.ts';
import type { Filled } from '../forms/submit.ts';
import type { ParamKind } from './params.ts';

/** A permission for each mode. LIVE needs a recent second factor besides. */
export interface PermissionByMode extends Readonly<Record<Mode, PartnerPermission>> {
  /**
   * The mode of what the request is about: of the record that its path names, else of the page. It is read
   * before anything is done, and `checkedMode` returns it.
   * @throws ServiceError NOT_FOUND if there is no such record of the viewer's partner
   */
  modeOf(ctx: PageContext<'partner'>, deps: PageDeps): Mode | Promise<Mode>;
}

export interface PermissionOf {
  public: null;
  user: null;
  partner: PartnerPermission | PermissionByMode;
  operator: Permission;
}

/** What a route needs. */
export interface Needs<A extends Audience> {
  /** The operation that it carries out, whose permission and second factor it needs. */
  operation?: Pick<AnyOperation, 'name' | 'permission' | 'secondFactor'>;
  /** With an operation whose permission depends on the mode, and is checked before anything is read of a form. */
  modeOf?: PermissionByMode['modeOf'];
  /** By default `read`, which everybody of the audience may; anyone may open what is public or of their own account. */
  permission?: PermissionOf[A];
  /**
   * It changes LIVE keys, money or access, so it needs a recent second factor; `LIVE`: if the partner is LIVE,
   * since then it changes what customers see.
   */
  secondFactor?: boolean | 'LIVE';
  /** The kind of each `:name` in the path whose name does not say it, as `:rewardId` does. */
  params?: Readonly<Record<string, ParamKind>>;
  /**
   * The path contains a secret that authorizes the action by itself, so there is no CSRF token to check,
   * and the reader gets no cookie.
   */
  secretInPath?: boolean;
  /** Its form uploads a file, streamed in `ctx.state.file`. */
  takesFile?: boolean;
}

/** A route as tests see it: one whose permission depends on the mode is two. */
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  audience: Audience;
  permission: Permission | PartnerPermission | null;
  /** Null if the permission does not depend on it. */
  mode: Mode | null;
  secondFactor: boolean | 'LIVE';
  params: Readonly<Record<string, ParamKind>>;
  secretInPath: boolean;
  takesFile: boolean;
  /** The names of its form's fields. */
  fields: readonly string[];
}

export type PageHandler<A extends Audience> = (
  ctx: PageContext<A>,
  deps: PageDeps,
  /** The values entered in its form before the second factor was requested. */
  filled?: Filled,
) => void | Promise<void>;
