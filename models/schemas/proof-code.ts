/** A code that was sent to an address or a number, to prove that somebody reads what is sent there. */
export interface ProofCode {
  /** The address, or the number by E.164. */
  to: string;
  /** Keyed. */
  codeHash: string;
  expiresAt: Date;
  triesLeft: number;
}
