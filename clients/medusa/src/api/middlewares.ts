import {
  authenticate,
  defineMiddlewares,
  validateAndTransformBody,
} from '@medusajs/framework/http';
import { settingsSchema } from './admin/partner-events/settings/schema';
import { applyPointsSchema } from './store/carts/[id]/points/schema';
import { verifiedEmail } from './verified-email';

const signedIn = authenticate('customer', ['session', 'bearer']);

export default defineMiddlewares({
  routes: [
    { matcher: '/store/customers/me/points', middlewares: [signedIn, verifiedEmail] },
    { matcher: '/store/orders/:id/points', middlewares: [signedIn] },
    { matcher: '/store/carts/:id/points', middlewares: [signedIn] },
    {
      matcher: '/store/carts/:id/points',
      method: 'POST',
      middlewares: [verifiedEmail, validateAndTransformBody(applyPointsSchema)],
    },
    {
      matcher: '/admin/partner-events/settings',
      method: 'POST',
      middlewares: [validateAndTransformBody(settingsSchema)],
    },
  ],
});
