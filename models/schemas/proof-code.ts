/** A code sent to an email address or phone number to verify it. */
export interface ProofCode {
  /** The address, or the number in E.164. */
  to: string;
  /** Keyed. */
  codeHash: string;
  expiresAt: Date;
  triesLeft: number;
}
