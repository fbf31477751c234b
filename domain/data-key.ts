/**
 * The key that encrypts one sealed text of a customer, itself encrypted with the master key. The
 * text refers to it by id. Once the key is destroyed, nothing can decrypt the text.
 */
export interface DataKey {
  dataKeyId: string;
  wrapped: string;
}
