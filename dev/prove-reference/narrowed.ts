/**
 * The reference as Schemathesis gets it. What a value must be beyond what a schema can say is said by a few
 * values that are: else it would send what no schema forbids and the service refuses, and call that a fault.
 * Nor does it get what says how to sign: the hook signs every request.
 * @param text the reference, YAML
 * @throws Error where the reference no longer says what is narrowed
 */
export function narrowed(text: string, names: readonly Narrowing[]): string {
  return names.reduce(
    (rest, name) => {
      const [written, meant] = narrowings[name];
      if (!rest.includes(written)) throw new Error(`the reference no longer has: ${written}`);
      return rest.replaceAll(written, () => meant);
    },
    text.replaceAll(/^ +security: .*\n/gm, ''),
  );
}

const cursors = ['iev_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'iev_01HAAAAAAAAAAAAAAAAAAAAAAA'].map((id) =>
  Buffer.from(id).toString('base64url'),
);
const address = '^[a-z0-9]{1,20}@[a-z]{1,20}[.]example$';

/** What the reference has, and what Schemathesis gets for it. */
const narrowings = {
  // An address, or blank.
  customerEmail: [
    'email: { type: string, maxLength: 320 }',
    `email: { type: string, maxLength: 320, pattern: '${address}|^ *$' }`,
  ],
  // OpenAPI Generator takes a text alone for the body of a link, and Schemathesis an object.
  refundBody: [
    `requestBody: '{"externalOrderId": "{$response.body#/externalOrderId}"}'`,
    'requestBody: { externalOrderId: "$response.body#/externalOrderId" }',
  ],
  // That of the rule.
  currency: [
    'currency: { type: string, pattern: "^[A-Za-z]{3}$", description: USD when absent. }',
    'currency: { type: string, enum: [USD, usd] }',
  ],
  email: ['format: email', `pattern: '${address}'`],
  // A few by name, since what breaks a narrower pattern may be an address all the same.
  website: [
    'pattern: "^https?://" }',
    'enum: [https://shop.example, http://till.shop.example, null] }',
  ],
  webhookUrl: [
    'pattern: "^https?://[^#]+$"',
    'enum: [https://shop.example/hook, https://till.shop.example]',
  ],
  country: [
    'pattern: "^[A-Z]{2}$",\n            description: ISO 3166-1',
    'enum: [US, DE],\n            description: ISO 3166-1',
  ],
  cursor: ['pattern: "^[A-Za-z0-9_-]+$"', `enum: [${cursors}]`],
} as const;

export type Narrowing = keyof typeof narrowings;
