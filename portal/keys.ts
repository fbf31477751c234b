import { ServiceError } from '../domain/errors.ts';
import type { Mode } from '../domain/events.ts';
import type { PartnerPermission } from '../domain/partner-roles.ts';
import type { CredentialDoc } from '../models/schemas/credential.ts';
import type { Models } from '../models/schemas/index.ts';
import { type PageContext, param } from './context.ts';
import { linkButton } from './html/components.ts';
import { type Html, nothing } from './html/html.ts';
import { wayOn } from './html/way-on.ts';
import type { ParamKind } from './params.ts';

export const keyCrumbs = [['API keys', '/keys']] as const;

/** What stands between a mode and its keys: a permission, and in LIVE the second factor. */
export const keyModes = {
  test: {
    mode: 'TEST',
    permission: 'credential.test',
    secondFactor: false,
    kind: 'credential',
    secretKind: 'secret',
  },
  live: {
    mode: 'LIVE',
    permission: 'credential.live',
    secondFactor: true,
    kind: 'liveCredential',
    secretKind: 'liveSecret',
  },
} as const satisfies Record<
  string,
  {
    mode: Mode;
    permission: PartnerPermission;
    secondFactor: boolean;
    kind: ParamKind;
    secretKind: ParamKind;
  }
>;

export const permissionOf = (mode: Mode): PartnerPermission =>
  mode === 'LIVE' ? keyModes.live.permission : keyModes.test.permission;
export const baseOf = (mode: Mode): string => `/keys/${mode.toLowerCase()}`;

/**
 * The key that a path names.
 * @param _id of the key, where the path names it by something else
 * @throws ServiceError NOT_FOUND, for another partner's and for one of another mode too
 */
export async function findKey(
  models: Models,
  ctx: PageContext<'partner'>,
  { mode, _id = param(ctx, 'credentialId') }: { mode?: Mode; _id?: string } = {},
): Promise<CredentialDoc> {
  const partnerId = ctx.state.viewer.partner._id;
  const key = await models.credentials.findOne({ partnerId, _id, ...(mode && { mode }) }).lean();
  if (key) return key;
  throw new ServiceError('NOT_FOUND', 'There is no such key.');
}

/** The key of the secret that a path names. @throws ServiceError NOT_FOUND, as above */
export async function findKeyOfSecret(
  models: Models,
  ctx: PageContext<'partner'>,
  mode: Mode,
): Promise<CredentialDoc> {
  const partnerId = ctx.state.viewer.partner._id;
  const key = await models.credentials
    .findOne({ partnerId, mode, 'secrets.secretId': param(ctx, 'secretId') })
    .lean();
  if (key) return key;
  throw new ServiceError('NOT_FOUND', 'There is no such secret.');
}

export const crumbsOf = ({ _id, mode }: CredentialDoc) =>
  [...keyCrumbs, [`${mode} key`, `/keys/${_id}`]] as const;

/** What the SDK, its command and the quick starts read. */
export function environment(url: string, apiKey: string, secret: string): string {
  return `PARTNER_URL=${url}\nPARTNER_KEY=${apiKey}\nPARTNER_SECRET=${secret}\n`;
}

/** What there is to do with a key. */
export function wayOnWithKey(ctx: Pick<PageContext, 'state'>): Html {
  return wayOn(
    ctx,
    [
      ['/quickstarts', 'Quick starts'],
      ['/reference', 'API reference'],
      ['/doctor', 'Signature refused?'],
    ],
    ctx.state.mayOpen('/console')
      ? linkButton('/console', 'Send a request in the test console', 'secondary')
      : nothing,
  );
}
