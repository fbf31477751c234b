import type { Language } from '../../domain/languages.ts';
import type { Visitor } from '../../test/e2e/portal/helpers/visitor.ts';
import type { ScreenshotSetup } from './setup.ts';

export type PictureViewer = 'customer' | 'partnerInSetUp' | 'owner' | 'operator';

export interface PictureSpec {
  /** The file's name. */
  name: string;
  as: PictureViewer;
  /** The page's path, possibly depending on the shop. */
  path: string | ((setup: ScreenshotSetup) => string);
  /** Actions before the picture is taken. */
  act?: (visitor: Visitor) => Promise<void>;
  width?: number;
  height?: number;
  isDark?: boolean;
  /** The browser's language; English by default. */
  language?: Language;
}

const phone = { width: 390, height: 760 };

/** The pictures of the documentation: add a line for a new one. */
export const pictures: readonly PictureSpec[] = [
  ...(['en', 'de', 'fr', 'es'] as const).map((language) => ({
    name: `claim-${language}`,
    as: 'customer' as const,
    ...phone,
    language,
    path: ({ openLink }: ScreenshotSetup) => openLink,
  })),
  ...(['OFFER', 'REMINDER', 'TAKEN_BACK'] as const).map((why) => ({
    name: `email-${why.toLowerCase().replace('_', '-')}`,
    as: 'owner' as const,
    path: `/branding/email.html?why=${why}&language=en`,
    width: 600,
    height: 480,
  })),
  {
    name: 'email-offer-dark',
    as: 'owner',
    width: 600,
    height: 480,
    isDark: true,
    path: '/branding/email.html?why=OFFER&language=en',
  },
  { name: 'branding', as: 'owner', path: '/branding', height: 1_050 },
  { name: 'set-up', as: 'partnerInSetUp', path: '/home', height: 1_050 },
  { name: 'home', as: 'owner', path: '/home' },
  { name: 'home-dark', as: 'owner', path: '/home', isDark: true },
  { name: 'events', as: 'owner', path: '/events' },
  { name: 'event', as: 'owner', path: ({ eventPath }) => eventPath, height: 830 },
  { name: 'doctor', as: 'owner', path: ({ refusedPath }) => refusedPath, height: 900 },
  {
    name: 'test-console',
    as: 'owner',
    path: '/console',
    height: 1_050,
    async act(visitor) {
      await visitor.press('Sign and send');
      await visitor.page.getByText('The reward is funded.').waitFor();
    },
  },
  { name: 'usage', as: 'owner', path: '/usage', height: 1_000 },
  { name: 'today', as: 'operator', path: '/admin', height: 900 },
  { name: 'reviews', as: 'operator', path: '/admin/reviews' },
  { name: 'review', as: 'operator', path: ({ reviewPath }) => reviewPath, height: 1_050 },
  { name: 'search', as: 'operator', path: '/admin/search?q=%2310440' },
  { name: 'partner', as: 'operator', path: ({ partnerPath }) => partnerPath, height: 1_000 },
];
