import { browserName } from '../../domain/browser-name.ts';
import { newDeviceMail } from '../../messaging/portal-mails.ts';
import { forgetDevice, noteDevice } from '../../models/identity/devices.ts';
import type { UserDoc } from '../../models/schemas/people.ts';
import type { OperationDeps } from '../deps.ts';
import type { NotifyDeps } from './notify-of-change.ts';

/**
 * Notifies a user by email of a sign-in with a new browser, unless they opted out.
 * @param device the value of the browser's cookie
 * @throws the mail server's error; the user is notified at the next sign-in with this browser
 */
export async function notifyOfNewDevice(
  { models, now, sendMessage, config }: NotifyDeps & Pick<OperationDeps, 'models'>,
  { _id: userId, email, notifiesOfNewDevices }: UserDoc,
  { device, address, userAgent }: { device: string; address: string; userAgent: string },
): Promise<void> {
  const at = now();
  const { isNew } = await noteDevice(models, userId, device, new Date(at));
  if (!isNew || email === null || notifiesOfNewDevices === false) return;
  const signedIn = { userId, browser: browserName(userAgent), address, at };
  try {
    await sendMessage(newDeviceMail(config.portal.url, email, signedIn));
  } catch (error) {
    await forgetDevice(models, userId, device);
    throw error;
  }
}
