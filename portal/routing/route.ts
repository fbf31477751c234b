import type { Permission } from '../../domain/operator-roles.ts';
import type { PartnerPermission } from '../../domain/partner-roles.ts';
import type { Audience } from '../context.ts';
import type { ParamKind } from './params.ts';

interface PermissionOf {
  public: null;
  user: null;
  partner: PartnerPermission;
  operator: Permission;
}

/** How a route is declared. */
export interface RouteSpec<A extends Audience> {
  path: string;
  audience: A;
  permission: PermissionOf[A];
  /** It touches LIVE keys or money, or who may: whoever asks has given the second factor just now. */
  secondFactor?: boolean;
  /** What each `:name` of the path is. */
  params?: Readonly<Record<string, ParamKind>>;
  /**
   * The path has a secret in it that allows by itself what is done there: whoever knows it needs no
   * browser of anybody else's. Such a form carries no token, so that its reader gets no cookie.
   */
  secretInPath?: boolean;
  /** Its form has a file: `ctx.state.file`, to be read as it arrives. */
  takesFile?: boolean;
}

/** A route as tests walk it. */
export interface Route {
  method: 'GET' | 'POST';
  path: string;
  audience: Audience;
  permission: Permission | PartnerPermission | null;
  secondFactor: boolean;
  params: Readonly<Record<string, ParamKind>>;
  secretInPath: boolean;
  takesFile: boolean;
  /** What its form asks for. */
  fields: readonly string[];
}
