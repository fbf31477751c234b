import { randomUUID } from 'node:crypto';
import { createCredential } from '../../../models/commands/create-credential.ts';
import { createIntegration } from '../../../models/commands/create-integration.ts';
import { createRule } from '../../../models/commands/create-rule.ts';
import { inviteUser } from '../../../models/commands/invite-user.ts';
import { startSession } from '../../../models/sessions.ts';
import { createSignInLink } from '../../../models/sign-in-links.ts';
import type { Mail } from '../../../platform/mailer.ts';
import type { ParamKind } from '../../../portal/params.ts';
import type { Route } from '../../../portal/route.ts';
import { aUser } from './people.ts';
import type { TestPortal } from './portal.ts';

/** Whose example is made, and what of theirs must not show to anybody else. */
export interface Owner {
  partnerId: string;
  /** A word that everything made for the partner has in it, wherever it has a name. */
  mark: string;
}

type Fixture = (portal: TestPortal, owner: Owner) => Promise<string>;

const integration: Fixture = async ({ deps }, { partnerId, mark }) =>
  (await createIntegration(deps, { partnerId, name: `${mark} shop` }))._id;

const credentialOf = async (portal: TestPortal, owner: Owner) => {
  const integrationId = await integration(portal, owner);
  const { partnerId } = owner;
  return await createCredential(portal.deps, {
    ...{ partnerId, integrationId, mode: 'TEST', scopes: ['events:read'] },
  });
};

/** An example of each kind of what may stand in a path, made for a partner. */
export const fixtures: Record<ParamKind, Fixture> = {
  partner: async (_, { partnerId }) => partnerId,
  user: async (portal, { partnerId, mark }) =>
    (await aUser(portal, { partnerId, name: `${mark} user`, role: 'viewer' }))._id,
  invitation: async ({ deps }, owner) => (await invited(deps, owner)).invitationId,
  invitationToken: async ({ deps }, owner) => (await invited(deps, owner)).token,
  session: async (portal, { partnerId, mark }) => {
    const { _id: userId } = await aUser(portal, { partnerId, role: 'viewer' });
    const { session } = await startSession(portal.deps, {
      ...{ userId, signedInBy: 'PASSWORD', userAgent: `${mark} browser`, address: '192.0.2.1' },
    });
    return session._id;
  },
  signInToken: async (portal, { partnerId }) =>
    await createSignInLink(portal.deps, (await aUser(portal, { partnerId }))._id),
  integration,
  credential: async (portal, owner) => (await credentialOf(portal, owner)).credential._id,
  secret: async (portal, owner) =>
    (await credentialOf(portal, owner)).credential.secrets[0]?.secretId ?? '',
  rule: async ({ deps }, { partnerId }) =>
    (
      await createRule(deps, partnerId, {
        ...{ mode: 'TEST', currency: 'USD', kind: 'PER_AMOUNT', points: 10, unitCents: 100 },
      })
    )._id,
};

/**
 * Something that each field of a form may have, by its name; a form is sent what it asks for. A new name
 * of a field belongs here, else its route is refused for what is missing and not for whose it is.
 */
export const plausible: Readonly<Record<string, string>> = {
  name: 'A name',
  email: 'somebody@else.example',
  role: 'viewer',
  reason: 'because',
};

const invited = async ({ models, now }: TestPortal['deps'], { partnerId, mark }: Owner) => {
  const mails: Mail[] = [];
  const sendMail = async (mail: Mail) => void mails.push(mail);
  const email = `${mark}-${randomUUID()}@invited.example`;
  const { _id: invitationId } = await inviteUser(
    { models, now, sendMail, portalUrl: '' },
    { partnerId, email, role: 'viewer', invitedBy: 'system' },
  );
  return { invitationId, token: tokenIn(mails[0]) };
};

/** The token in a mail of the portal. */
export const tokenIn = (mail: Mail | undefined): string =>
  /\/(?:link|invitations)\/([\w-]{43})\b/.exec(mail?.text ?? '')?.[1] ?? '';

/** The path of a route, with examples of an owner in it. */
export async function filledPath(
  portal: TestPortal,
  { path, params }: Pick<Route, 'path' | 'params'>,
  owner: Owner,
): Promise<string> {
  let filled = path;
  for (const [name, kind] of Object.entries(params)) {
    const make = fixtures[kind];
    if (!make) throw new Error(`${path}: there is no example of ${kind}`);
    filled = filled.replace(`:${name}`, encodeURIComponent(await make(portal, owner)));
  }
  return filled;
}
