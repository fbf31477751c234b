import type { Permission } from '../../domain/operators.ts';
import type { PartnerPermission } from '../../domain/partners.ts';
import type { Audience } from '../context.ts';
import type { ParamKind } from './params.ts';

interface PermissionOf {
  public: null;
  user: null;
  partner: PartnerPermission;
  operator: Permission;
}

/** A route's declaration. */
export interface RouteSpec<A extends Audience> {
  path: string;
  audience: A;
  permission: PermissionOf[A];
  /**
   * It changes LIVE keys, money or access, so it needs a recent second factor; `LIVE`: if the partner is LIVE,
   * since then it changes what customers see.
   */
  secondFactor?: boolean | 'LIVE';
  /** The kind of each `:name` in the path. */
  params?: Readonly<Record<string, ParamKind>>;
  /**
   * The path contains a secret that authorizes the action by itself, so there is no CSRF token to check,
   * and the reader gets no cookie.
   */
  secretInPath?: boolean;
  /** Its form uploads a file, streamed in `ctx.state.file`. */
  takesFile?: boolean;
}

/** A route as tests see it. */
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  audience: Audience;
  permission: Permission | PartnerPermission | null;
  secondFactor: boolean | 'LIVE';
  params: Readonly<Record<string, ParamKind>>;
  secretInPath: boolean;
  takesFile: boolean;
  /** The names of its form's fields. */
  fields: readonly string[];
}
