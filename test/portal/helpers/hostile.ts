import type { Service } from '../../helpers/service.ts';
import type { Owner } from './fixtures.ts';
import type { SomePortal } from './portal.ts';
import { tradingOwner } from './trading-owner.ts';

/** Text that runs a script if a page contains it unescaped: in text, an attribute or a script. */
export const hostileText = `'"><img src=x onerror=alert(1)><script>alert(1)</script>`;

/** Whether a page contains that text unescaped. */
export const hasInjectedMarkup = (html: string): boolean => /<img src=x|<script>alert/i.test(html);

/**
 * A partner with hostile text wherever it, its users or its customers can enter any: in its profile, in the
 * requests of its back end in both modes, and in refused requests. Its mark is that text.
 */
export const hostileOwner = (service: Service, portal: SomePortal): Promise<Owner> =>
  tradingOwner(service, portal, hostileText, {
    name: hostileText,
    legalName: hostileText,
    website: `https://a.example/${hostileText}`,
    branding: {
      language: 'en',
      timeZone: null,
      color: null,
      spendText: hostileText,
      spendUrl: `https://a.example/${hostileText}`,
    },
    contactEmail: `${hostileText}@a.example`,
    supportEmail: `${hostileText}@b.example`,
  });
