import { createHmac } from 'node:crypto';
import { deviceLifeMs } from '../../models/identity/second-factors.ts';
import { sessionLifeMs } from '../../models/identity/sessions.ts';
import type { Config } from '../../platform/config.ts';
import type { PageContext } from '../context.ts';

type CookieContext = Pick<PageContext, 'get' | 'append'>;

const form = /^[\w-]{43}$/;

/** Identifies the session. */
export const sessionCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'session', sessionLifeMs);

/** Recognizes a browser: it contains no data and grants no access. */
export const deviceCookie = (config: Pick<Config, 'portal'>) =>
  cookie(config, 'device', deviceLifeMs);

/** One of our cookies. Over HTTPS, no other host or path can set or read it. */
function cookie({ portal }: Pick<Config, 'portal'>, plainName: string, lifeMs: number) {
  const isSecure = portal.url.startsWith('https:');
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    /** @returns its value; undefined without a well-formed one */
    read(ctx: CookieContext): string | undefined {
      const pairs = ctx.get('cookie').split(';', 50);
      for (const pair of pairs) {
        const [key, value = ''] = pair.trim().split('=', 2);
        if (key === name) return form.test(value) ? value : undefined;
      }
      return undefined;
    },
    /** @param lasts whether it persists after the browser is closed */
    write(ctx: CookieContext, value: string, { lasts }: { lasts: boolean }): void {
      const age = lasts ? `; Max-Age=${lifeMs / 1000}` : '';
      ctx.append('Set-Cookie', `${name}=${value}; ${attributes}${age}`);
    },
    clear(ctx: CookieContext): void {
      ctx.append('Set-Cookie', `${name}=; ${attributes}; Max-Age=0`);
    },
  };
}

/** The token in forms, derived from the cookie's value, which other sites and scripts cannot read. */
export function csrfTokenOf(cookieValue: string): string {
  return createHmac('sha256', cookieValue).update('csrf').digest('base64url');
}
