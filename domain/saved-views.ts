/**
 * The lists whose filters somebody keeps under a name, by the word that stands in their address, with the
 * filters of each: nothing else is kept of an address.
 */
export const savedFilters = {
  events: ['mode', 'type', 'code', 'order', 'from', 'to'],
  rewards: ['mode', 'status', 'order', 'customer', 'from', 'to'],
  reviews: ['state', 'mode', 'partner', 'from', 'to'],
  ledger: ['book', 'partner', 'account', 'reward', 'from', 'to'],
  audit: ['status', 'partner', 'alone', 'actor', 'target', 'from', 'to'],
} as const satisfies Record<string, readonly string[]>;

export type SavedList = keyof typeof savedFilters;
export const savedLists = Object.keys(savedFilters) as SavedList[];

/** Whose portal has a list. */
export const isOfOperators = (list: SavedList): boolean => list !== 'events' && list !== 'rewards';

/** Of one list; more would be a list to search in itself. */
export const maxSavedViews = 20;
export const maxViewNameChars = 100;

/** The filters of a list, as somebody keeps them. */
export interface SavedView {
  /** `svw_…` */
  id: string;
  name: string;
  filters: Readonly<Record<string, string>>;
}
