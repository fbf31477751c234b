/** What still has to be done about a document; written with the fact, cleared by what acts on it. */
export interface Due<What extends string = string> {
  what: What;
  /** When the fact happened, for operators. */
  since: Date;
  /** By the database's clock; null: at once. */
  nextAt: Date | null;
  /** How often in a row it was refused or, without an error, told and not acted on. */
  attempts: number;
  /** Why it was refused; null if it was not. */
  error: string | null;
  /** Set after too many refusals: it is only tried again when an operator, or the next fact, says so. */
  setApartAt: Date | null;
}

/** Due at once, and not tried yet. */
export const due = <What extends string>(what: What, since: Date): Due<What> => ({
  what,
  since,
  nextAt: null,
  attempts: 0,
  error: null,
  setApartAt: null,
});
