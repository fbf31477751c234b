import type {
  AuthenticatedMedusaRequest,
  MedusaNextFunction,
  MedusaRequest,
  MedusaResponse,
} from '@medusajs/framework/http';
import { MedusaError, Modules } from '@medusajs/framework/utils';

/** Points belong to an email address, and anyone can register with any: only who has confirmed it gets further. */
export async function verifiedEmail(
  req: MedusaRequest,
  _res: MedusaResponse,
  next: MedusaNextFunction,
): Promise<void> {
  const { actor_id, auth_identity_id } = (req as AuthenticatedMedusaRequest).auth_context;
  const { email } = await req.scope.resolve(Modules.CUSTOMER).retrieveCustomer(actor_id);
  const [verification] = await req.scope
    .resolve(Modules.AUTH)
    .listAuthVerifications({ auth_identity_id, entity_type: 'email', entity_id: email ?? '' });
  if (verification?.verified_at) return next();
  throw new MedusaError(
    MedusaError.Types.FORBIDDEN,
    'Confirm your email address first: your points belong to it.',
  );
}
