import type { Earns, Platform, Step } from '../../domain/connections.ts';

export const platformNames: Readonly<Record<Platform, string>> = {
  SHOPIFY: 'Shopify',
  WOOCOMMERCE: 'WooCommerce',
  STRIPE: 'Stripe',
};

/** What a request was proven by: a key, or a connection. */
export const senderLabel = (credentialId: string): string =>
  credentialId.startsWith('con_') ? 'Connection' : 'API key';

/** What to enter, and where the platform shows it. */
export const platformFields: Readonly<
  Record<Platform, { shop: string | null; shopHint: string; secret: string; secretHint: string }>
> = {
  SHOPIFY: {
    shop: 'Domain of the shop',
    shopHint: 'As in teapots.myshopify.com, also if your customers see another.',
    secret: 'Signing secret',
    secretHint: 'Shopify shows it under Settings, Notifications, Webhooks, below the list.',
  },
  WOOCOMMERCE: {
    shop: 'Address of the shop',
    shopHint: 'As in https://shop.example.com, as WordPress calls it under Settings, General.',
    secret: 'Secret',
    secretHint: 'At least 16 characters. Enter the same in the webhook of WooCommerce.',
  },
  STRIPE: {
    shop: null,
    shopHint: '',
    secret: 'Signing secret',
    secretHint: 'Stripe shows it with the endpoint. It begins with whsec_.',
  },
};

/** What to set up at the platform. */
export const platformSteps: Readonly<Record<Platform, readonly string[]>> = {
  SHOPIFY: [
    'In Shopify, open Settings, Notifications, Webhooks.',
    'Create a webhook for each of the events Order payment, Order cancellation and Refund create, in the format JSON, with the address above.',
  ],
  WOOCOMMERCE: [
    'In WordPress, open WooCommerce, Settings, Advanced, Webhooks, and add a webhook.',
    'Choose the status Active and the topic Order updated, and enter the address above and the secret.',
  ],
  STRIPE: [
    'In Stripe, add an endpoint with the address above, under Developers, Webhooks.',
    'Select checkout.session.completed, checkout.session.async_payment_succeeded, charge.refunded and refund.updated.',
  ],
};

export const earningPartWords: Readonly<Record<keyof Earns, string>> = {
  tax: 'Tax',
  shipping: 'Shipping',
  tips: 'Tips and fees',
  giftCards: 'Gift cards that are bought',
};

export const stepWords: Readonly<Record<Step['name'], string>> = {
  GOODS: 'Goods',
  DISCOUNTS: 'Discounts',
  GIFT_CARDS: 'Gift cards',
  TIPS: 'Tips and fees',
  TAX_INCLUDED: 'Tax in the prices',
  TAX: 'Tax',
  SHIPPING: 'Shipping',
  PAID: 'Paid, or paid back',
  REFUNDED_GOODS: 'Goods paid back',
  ADJUSTMENT: 'Paid back for nothing in particular',
};
