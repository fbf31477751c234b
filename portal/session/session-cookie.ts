import { createHmac } from 'node:crypto';
import { deviceLifeMs } from '../../models/identity/devices.ts';
import { sessionLifeMs } from '../../models/identity/sessions.ts';
import type { Config } from '../../platform/config.ts';
import type { PageContext } from '../context.ts';

type CookieContext = Pick<PageContext, 'get' | 'append'>;

const form = /^[\w-]{43}$/;

/** Who is signed in. */
export const sessionCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'session', sessionLifeMs);

/** By which a browser is known again: it says nothing, and lets nobody in. */
export const deviceCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'device', deviceLifeMs);

/** One of ours. Over HTTPS no other host and no other path can set or read it. */
function cookie({ portal }: Pick<Config, 'portal'>, plainName: string, lifeMs: number) {
  const isSecure = portal.url.startsWith('https:');
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    /** @returns its value, or undefined where there is none of ours */
    read(ctx: CookieContext): string | undefined {
      const pairs = ctx.get('cookie').split(';', 50);
      for (const pair of pairs) {
        const [key, value = ''] = pair.trim().split('=', 2);
        if (key === name) return form.test(value) ? value : undefined;
      }
      return undefined;
    },
    /** @param lasts whether it outlives the browser's window */
    write(ctx: CookieContext, value: string, { lasts }: { lasts: boolean }): void {
      const age = lasts ? `; Max-Age=${lifeMs / 1000}` : '';
      ctx.append('Set-Cookie', `${name}=${value}; ${attributes}${age}`);
    },
    clear(ctx: CookieContext): void {
      ctx.append('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`);
    },
  };
}

/** What forms carry: made from the cookie's value, which no other site and no script can read. */
export function csrfTokenOf(cookieValue: string): string {
  return createHmac('sha256', cookieValue).update('csrf').digest('base64url');
}
