/** What times are shown in, unless somebody chose another. */
export const utc = 'UTC';

/** Zones that the runtime lists under a name that the IANA database has given up since. */
const renamed: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

const listed = Intl.supportedValuesOf('timeZone').map((zone) => renamed[zone] ?? zone);

/** Every zone that times can be shown in, by its name in the IANA database; UTC first. */
export const timeZones: readonly string[] = [
  ...new Set([utc, ...listed.toSorted((a, b) => a.localeCompare(b, 'en'))]),
];
