/**
 * The lists whose filters can be saved as a named view, by the segment in their URL, with the query
 * parameters that are saved; nothing else of a URL is.
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

/** Whether a list is part of the operators' portal rather than the partners'. */
export const isOfOperators = (list: SavedList): boolean => list !== 'events' && list !== 'rewards';

/** Per list. With more, users would have to search for a view. */
export const maxSavedViews = 20;
export const maxViewNameChars = 100;

export interface SavedView {
  /** `svw_…` */
  id: string;
  name: string;
  filters: Readonly<Record<string, string>>;
}
