import Medusa from '@medusajs/js-sdk';

/** Set by the admin's build. */
declare const __BACKEND_URL__: string | undefined;
declare const __AUTH_TYPE__: 'session' | 'jwt' | undefined;

export const sdk = new Medusa({
  baseUrl: __BACKEND_URL__ ?? '/',
  auth: { type: __AUTH_TYPE__ ?? 'session' },
});
