/**
 * The reference for Schemathesis. Rules that a schema cannot express are narrowed to a few valid values:
 * otherwise it would send values that no schema forbids and the service refuses, and report that as a fault.
 * The signature headers are removed: the hook signs every request.
 * @param text the reference, YAML
 * @throws Error if the reference no longer contains a part to narrow
 */
export function narrowed(text: string, names: readonly Narrowing[]): string {
  return names.reduce(
    (rest, name) => {
      const [written, meant] = narrowings[name];
      if (!rest.includes(written)) throw new Error(`the reference no longer contains: ${written}`);
      return rest.replaceAll(written, () => meant);
    },
    text.replaceAll(/^( +)security:.*\n(?:\1 .*\n)*/gm, ''),
  );
}

const cursors = ['iev_01JZZZZZZZZZZZZZZZZZZZZZZZ', 'iev_01HAAAAAAAAAAAAAAAAAAAAAAA'].map((id) =>
  Buffer.from(id).toString('base64url'),
);
const address = '^[a-z0-9]{1,20}@[a-z]{1,20}[.]example$';

/** Parts of the reference, and their replacements for Schemathesis. */
const narrowings = {
  // OpenAPI Generator only accepts plain text for the body of a link, Schemathesis only an object.
  refundBody: [
    `requestBody: '{"externalOrderId": "{$response.body#/externalOrderId}"}'`,
    'requestBody: { externalOrderId: "$response.body#/externalOrderId" }',
  ],
  actionBody: ['requestBody: "{}"', 'requestBody: {}'],
  // That of the rule.
  currency: [
    `type:
            - string
            - "null"
          pattern: ^[A-Za-z]{3}$`,
    'enum: [USD, usd, null]',
  ],
  email: ['format: email', `pattern: '${address}'`],
  // A few fixed values, since values that break a narrower pattern can still be addresses.
  website: [
    'pattern: "^https?://",',
    'enum: [https://shop.example, http://till.shop.example, null],',
  ],
  webhookUrl: [
    'pattern: "^https?://[^#]+$"',
    'enum: [https://shop.example/hook, https://till.shop.example]',
  ],
  country: [
    'pattern: "^[A-Z]{2}$",\n            description: "ISO 3166-1',
    'enum: [US, DE],\n            description: "ISO 3166-1',
  ],
  operatorCurrency: ['pattern: "^[A-Z]{3}$"', 'enum: [USD, JPY]'],
  cursor: ['pattern: "^[A-Za-z0-9_-]+$"', `enum: [${cursors}]`],
} as const;

export type Narrowing = keyof typeof narrowings;
