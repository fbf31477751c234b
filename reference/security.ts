/** How requests are proven. */
const header = (name: string, description: string) => ({
  type: 'apiKey',
  in: 'header',
  name,
  description,
});

const bearer = (description: string) => ({ type: 'http', scheme: 'bearer', description });

export const securitySchemes = {
  apiKey: header('X-Partner-Key', 'The API key. See [Signing](#signing).'),
  timestamp: header(
    'X-Partner-Timestamp',
    'Whole seconds since the Unix epoch. See [Signing](#signing).',
  ),
  signature: header(
    'X-Partner-Signature',
    '`sha256=` and the HMAC-SHA256 of the signed text. See [Signing](#signing).',
  ),
  adminToken: bearer('An operator’s token.'),
  accessToken: bearer('The token of a service account, `psa_…`, or of a partner’s user, `pat_…`.'),
};
