/** A code sent to an email address to verify it. */
export interface ProofCode {
  to: string;
  /** Keyed. */
  codeHash: string;
  expiresAt: Date;
  triesLeft: number;
}
