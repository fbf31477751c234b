const names = new Intl.DisplayNames('en', { type: 'region' });

/** What a country is called. @param country ISO 3166-1 alpha-2 */
export function countryName(country: string): string {
  try {
    return names.of(country) ?? country;
  } catch {
    return country;
  }
}
