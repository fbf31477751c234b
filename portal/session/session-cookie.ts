import { createHmac } from 'node:crypto';
import { sessionLifeMs } from '../../models/identity/sessions.ts';
import type { Config } from '../../platform/config.ts';
import type { PageContext } from '../context.ts';

type CookieContext = Pick<PageContext, 'get' | 'append'>;

const form = /^[\w-]{43}$/;

/** The one cookie. Over HTTPS no other host and no other path can set or read it. */
export function sessionCookie({ portal }: Pick<Config, 'portal'>) {
  const isSecure = portal.url.startsWith('https:');
  const name = isSecure ? '__Host-session' : 'session';
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
      const age = lasts ? `; Max-Age=${sessionLifeMs / 1000}` : '';
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
