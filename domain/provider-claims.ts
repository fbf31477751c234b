/** What a provider says about somebody: in the ID token, or at its userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** Somebody whom the identity provider knows. */
export interface Identity {
  /** Which the provider has verified; in lower case. */
  email: string;
  groups: string[];
}

/**
 * Whether the userinfo endpoint has to be asked for what the ID token does not say.
 * @param needsGroups whether groups decide who gets in
 */
export const isIncomplete = (claims: Claims, needsGroups: boolean): boolean =>
  claims.email === undefined ||
  isVerified(claims) === undefined ||
  (needsGroups && claims.groups === undefined);

/** What the signed ID token says, and where it says nothing, the userinfo endpoint: there, of the same address only. */
export function claimsOf(idToken: Claims, userinfo: Claims): Claims {
  const { email, email_verified, xms_edov, ...others } = userinfo;
  const address = { email, email_verified, xms_edov };
  if (idToken.email === undefined) return { ...others, ...idToken, ...address };
  const isSame = String(email).toLowerCase() === String(idToken.email).toLowerCase();
  return { ...others, ...(isSame && address), ...idToken };
}

/**
 * Reads the claims of common providers: a verified email as `true` or as text, Entra's `xms_edov`; groups as a list or
 * as text, and Keycloak's with the slash of a path.
 * @param verifiesEmails whether the provider verifies every email address without saying so
 * @throws Error that says what is missing, without any value
 */
export function readIdentity(claims: Claims, verifiesEmails: boolean): Identity {
  const { email, groups } = claims;
  if (typeof email !== 'string' || email === '') {
    throw new Error('the provider names no email address: ask it for the claim email');
  }
  const verified = isVerified(claims);
  if (verified === undefined && !verifiesEmails) {
    throw new Error(
      'the provider does not say whether it verified the email address (email_verified is absent): if it verifies every one, set OIDC_VERIFIES_EMAILS=on',
    );
  }
  if (verified === false) throw new Error('the provider has not verified the email address');
  return { email: email.toLowerCase(), groups: groupsIn(groups) };
}

/** Undefined if the provider does not say. Where two claims contradict each other, it is not verified. */
function isVerified(claims: Claims): boolean | undefined {
  const said = [claims.email_verified, claims.xms_edov].filter((one) => one !== undefined);
  if (said.length === 0) return undefined;
  return said.every((one) => ['true', '1'].includes(String(one).toLowerCase()));
}

function groupsIn(groups: unknown): string[] {
  const names = Array.isArray(groups) ? groups : textOf(groups);
  return names.flatMap((name) => (typeof name === 'string' ? namesOf(name.trim()) : []));
}

/** A list as JSON, or names separated by commas, which no mapped group contains. */
function textOf(groups: unknown): unknown[] {
  if (typeof groups !== 'string') return [];
  try {
    const parsed: unknown = JSON.parse(groups);
    if (Array.isArray(parsed)) return parsed;
  } catch {
    // A name, or several.
  }
  return groups.split(',');
}

/** A top-level group of Keycloak is a path with one slash. */
function namesOf(name: string): string[] {
  const [, top] = /^\/([^/]+)$/.exec(name) ?? [];
  return name === '' ? [] : top === undefined ? [name] : [name, top];
}
