let names: Intl.DisplayNames | undefined;

/** The English name of a country. @param country ISO 3166-1 alpha-2 */
export function countryName(country: string): string {
  names ??= new Intl.DisplayNames('en', { type: 'region' });
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
