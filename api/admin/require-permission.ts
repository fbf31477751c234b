import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { may, type Permission, permittedRoles } from '../../domain/operator-roles.ts';
import type { OperatorContext } from './context.ts';

/**
 * Requires a permission (docs/domain.md, Who may do what). Every route has this middleware; a test finds
 * it by its property `permission`, and calls every route as every role.
 * @throws ServiceError FORBIDDEN
 */
export function requirePermission(permission: Permission) {
  const check = async (ctx: OperatorContext, next: Next): Promise<void> => {
    const { role } = ctx.state.operator;
    if (!may(role, permission)) {
      const allowed = permittedRoles[permission].join(' or ');
      throw new ServiceError(
        'FORBIDDEN',
        `Your role, ${role}, does not allow ${permission}. It requires ${allowed}.`,
      );
    }
    await next();
  };
  return Object.assign(check, { permission });
}
