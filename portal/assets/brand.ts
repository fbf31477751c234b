import { accentOf, isSeenOnWhite } from '../../domain/branding.ts';
import { sha256Hex } from '../../platform/hashing.ts';

/** The style sheet with a partner's colour for customers' pages; it contains nothing else about the partner. */
export function brandSheet(of: string): string {
  const { color, ink } = accentOf(of);
  // Away from the text colour, so that text stays readable.
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

/** The address of a colour's sheet. Its name contains a hash of its content, so it can be cached forever. */
export const brandPathOf = (color: string): string =>
  `/assets/brand-${color.slice(1)}.${sha256Hex(brandSheet(color)).slice(0, 16)}.css`;

/** The sheet at an address; undefined for any other address and for a colour that cannot be chosen. */
export function findBrandSheet(path: string): string | undefined {
  const [, digits] = /^\/assets\/brand-([0-9a-f]{6})\.[0-9a-f]{16}\.css$/.exec(path) ?? [];
  const color = `#${digits}`;
  return digits && isSeenOnWhite(color) && path === brandPathOf(color)
    ? brandSheet(color)
    : undefined;
}
