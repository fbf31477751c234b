import type { Next } from 'koa';
import { ServiceError } from '../../domain/errors.ts';
import { may, type Permission, permittedRoles } from '../../domain/operator-roles.ts';
import type { OperatorContext } from './context.ts';

/**
 * Asks for a permission (docs/domain.md, Who may do what). Every route has one; it says so by `permission`,
 * and a test asks every route as every role.
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
