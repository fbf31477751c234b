/**
 * The data key of one sealed text of a customer, wrapped by the master key. The text names it by its
 * id; once it is destroyed, nothing opens the text.
 */
export interface DataKey {
  dataKeyId: string;
  wrapped: string;
}
