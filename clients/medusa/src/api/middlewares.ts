import {
  authenticate,
  defineMiddlewares,
  validateAndTransformBody,
  validateAndTransformQuery,
} from '@medusajs/framework/http';
import { settingsSchema } from './admin/partner-events/settings/schema';
import { applyPointsSchema } from './store/carts/[id]/points/schema';
import { pointsOfVariantSchema } from './store/product-variants/[id]/points/schema';
import { verifiedEmail } from './verified-email';

const signedIn = authenticate('customer', ['session', 'bearer']);
const perhapsSignedIn = authenticate('customer', ['session', 'bearer'], {
  allowUnauthenticated: true,
});

export default defineMiddlewares({
  routes: [
    { matcher: '/store/customers/me/points', middlewares: [signedIn, verifiedEmail] },
    { matcher: '/store/orders/:id/points', middlewares: [perhapsSignedIn] },
    {
      matcher: '/store/product-variants/:id/points',
      method: 'GET',
      middlewares: [validateAndTransformQuery(pointsOfVariantSchema, {})],
    },
    { matcher: '/store/carts/:id/points', method: 'DELETE', middlewares: [signedIn] },
    {
      matcher: '/store/carts/:id/points',
      method: 'POST',
      middlewares: [signedIn, verifiedEmail, validateAndTransformBody(applyPointsSchema)],
    },
    { matcher: '/hooks/partner-events', method: 'POST', bodyParser: { preserveRawBody: true } },
    {
      matcher: '/admin/partner-events/settings',
      method: 'POST',
      middlewares: [validateAndTransformBody(settingsSchema)],
    },
  ],
});
