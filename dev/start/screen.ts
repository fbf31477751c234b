export interface ScreenInput {
  baseUrl: string;
  adminUrl: string;
  portalUrl: string;
  partnerLogin: Login;
  adminLogin: Login & { codeSecret: string; recoveryCodes: string[] };
  /** Whether one operator can do everything alone. */
  approvals: string;
  temporalUi: string;
  mongodbUri: string;
  messageDir: string;
  demoFile: string;
  /** Of the API, the worker and the portal. */
  metricsUrls: string[];
  headerBrand: string;
}

interface Login {
  email: string;
  password: string;
}

const path = '/api/v1/partner/purchases';

/** The output of `npm start` once everything runs: addresses, and what to try first. */
export function screen(input: ScreenInput): string {
  const { baseUrl, adminUrl, approvals, temporalUi, mongodbUri, messageDir, demoFile } = input;
  const { metricsUrls, portalUrl, partnerLogin, adminLogin } = input;
  return `
────────────────────────────────────────────────────────────────────────────────
  Everything is running. Ctrl-C stops it; the next start finds its data again.

  Portal        ${portalUrl}
    a partner's owner   ${partnerLogin.email}  ${partnerLogin.password}
    an admin            ${adminLogin.email}  ${adminLogin.password}
      second factor     add ${adminLogin.codeSecret} to an authenticator app, or use
                        ${adminLogin.recoveryCodes[0]} once (others: Demo keys)
  API           ${baseUrl}/api/v1/partner
  Operators     ${adminUrl}
  Approvals     ${approvals}
  Temporal UI   ${temporalUi}
  MongoDB       ${mongodbUri}
  Messages      ${messageDir}
  Demo keys     ${demoFile}
  Metrics       ${metricsUrls.join('  ')}

  Send a first signed purchase, from a second terminal:

    npm run partner -- purchase --order A1 --email a@b.co --subtotal 49.90

  The same by hand (bash, with curl and openssl); paste it twice to see a replay:

${indent(signedPurchase(input))}

  Then
    npm run partner -- listen  signed requests as they arrive
    npm run demo               the whole flow, in ten seconds
    README.md                  everything else
────────────────────────────────────────────────────────────────────────────────
`;
}

/** A signed request as shell commands that only need the demo keys. */
function signedPurchase(input: ScreenInput): string {
  const { baseUrl, demoFile, headerBrand } = input;
  return `DEMO=${quote(demoFile)}
KEY=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).test.key' "$DEMO")
SECRET=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).test.secret' "$DEMO")
BODY='{"externalOrderId":"curl-1","customer":{"email":"a@b.co"},"order":{"subtotalCents":4990}}'
TIME=$(date +%s)
HASH=$(printf '%s' "$BODY" | openssl dgst -sha256 -r | cut -d' ' -f1)
SIGNATURE=$(printf 'v1\\nPOST\\n${path}\\n%s\\n%s' "$TIME" "$HASH" \\
  | openssl dgst -sha256 -hmac "$SECRET" -r | cut -d' ' -f1)
curl -sSi ${baseUrl}${path} \\
  -H 'Content-Type: application/json' -H 'Idempotency-Key: curl-1' \\
  -H "X-${headerBrand}-Key: $KEY" -H "X-${headerBrand}-Timestamp: $TIME" \\
  -H "X-${headerBrand}-Signature: sha256=$SIGNATURE" --data-binary "$BODY"`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}
