import type { Earns, Platform, SubtotalStep } from '../../domain/connections.ts';
import type { AskProblem } from '../../domain/shop-repair.ts';

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

export const stepWords: Readonly<Record<SubtotalStep['name'], string>> = {
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

/** The key that reads orders: what to enter, and where the platform shows it. */
export const readKeyFields: Readonly<
  Record<Platform, { key: string; keyHint: string; secret: string | null }>
> = {
  SHOPIFY: {
    key: 'Admin API access token',
    keyHint: 'Of an app of your shop with the right read_orders. It begins with shpat_.',
    secret: null,
  },
  WOOCOMMERCE: {
    key: 'Consumer key',
    keyHint:
      'WordPress makes both under WooCommerce, Settings, Advanced, REST API, with the permission Read.',
    secret: 'Consumer secret',
  },
  STRIPE: {
    key: 'Restricted key',
    keyHint:
      'Stripe makes it under Developers, API keys. Let it read Events, Charges, Checkout Sessions and Refunds, and nothing else. It begins with rk_.',
    secret: null,
  },
};

/** Why a shop could not be asked, and what to do. */
export const askProblemWords: Readonly<Record<AskProblem, string>> = {
  KEY_REFUSED: 'The shop refused the key. Enter one that may read orders.',
  NOT_FOUND:
    'There are no orders at this address. Check the address of the shop; WordPress also needs permalinks other than Plain.',
  TOO_MANY_REQUESTS: 'The shop asked us to slow down. We ask again within hours.',
  NO_ANSWER: 'The shop did not answer. We ask again within hours.',
  ADDRESS_NOT_ALLOWED: 'The address of the shop is not on the public internet.',
  TOO_LARGE: 'The answer was too large.',
  NOT_UNDERSTOOD: 'The answer was not a list of orders.',
  TOO_MANY_ORDERS: 'A day had more orders than we ask for. Compare the shop’s export for the rest.',
  OUT_OF_TIME: 'It took too long. We go on where we stopped, within hours.',
  NOT_LIVE: 'This account is not live yet.',
};
