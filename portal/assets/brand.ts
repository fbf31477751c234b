import { accentOf, isSeenOnWhite } from '../../domain/branding.ts';
import { sha256Hex } from '../../platform/hashing.ts';

/** The sheet that gives customers' pages a partner's colour; it holds nothing else of the partner. */
export function brandSheet(of: string): string {
  const { color, ink } = accentOf(of);
  // Away from the ink, so that it is read as well.
  const further = ink === '#ffffff' ? '#000' : '#fff';
  return `.customer {
  background:
    radial-gradient(120% 60% at 50% 0, light-dark(color-mix(in srgb, ${color} 12%, #fff), color-mix(in srgb, ${color} 16%, #0e0f13)), transparent) no-repeat,
    var(--ground);
}
.customer .initial,
.customer .ticket button.primary {
  background: ${color};
  color: ${ink};
}
.customer .ticket button.primary:hover {
  background: color-mix(in srgb, ${color} 88%, ${further});
  color: ${ink};
}
.customer .amount {
  color: light-dark(${color}, var(--text));
}
`;
}

/** The address of a colour's sheet; its name says what is in it, so that it may be kept for ever. */
export const brandPathOf = (color: string): string =>
  `/assets/brand-${color.slice(1)}.${sha256Hex(brandSheet(color)).slice(0, 16)}.css`;

/** The sheet at an address; undefined for any other, and for a colour that nobody can choose. */
export function findBrandSheet(path: string): string | undefined {
  const [, digits] = /^\/assets\/brand-([0-9a-f]{6})\.[0-9a-f]{16}\.css$/.exec(path) ?? [];
  const color = `#${digits}`;
  return digits && isSeenOnWhite(color) && path === brandPathOf(color)
    ? brandSheet(color)
    : undefined;
}
