import type { Service } from '../../helpers/service.ts';
import type { Owner } from './fixtures.ts';
import type { SomePortal } from './portal.ts';
import { tradingOwner } from './trading-owner.ts';

/** Text that runs wherever it gets into a page as it is: as text, in an attribute, in a script. */
export const hostileText = `'"><img src=x onerror=alert(1)><script>alert(1)</script>`;

/** Whether a page took it for markup. */
export const isTakenIn = (html: string): boolean => /<img src=x|<script>alert/i.test(html);

/**
 * A partner that has hostile text wherever it, its users or its customers can put any: what it is
 * called, what its back end sends in both modes, and what is refused. Its mark is that text.
 */
export const hostileOwner = (service: Service, portal: SomePortal): Promise<Owner> =>
  tradingOwner(service, portal, hostileText, {
    ...{ name: hostileText, legalName: hostileText },
    website: `https://a.example/${hostileText}`,
    branding: {
      ...{ language: 'en', timeZone: null, color: null, spendText: hostileText },
      spendUrl: `https://a.example/${hostileText}`,
    },
    ...{ contactEmail: `${hostileText}@a.example`, supportEmail: `${hostileText}@b.example` },
  });
