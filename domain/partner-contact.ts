/** Where a partner is mailed and where its customers ask, as its profile says, and what of it is proven to be read. */
interface Contact {
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
}

interface Support {
  supportEmail: string | null;
  verifiedSupportEmail?: string | null;
}

/** The addresses of a profile that are proven by a code, and where each is kept that was. */
export const provenAs = {
  contactEmail: { verified: 'verifiedContactEmail', code: 'contactEmailCode' },
  supportEmail: { verified: 'verifiedSupportEmail', code: 'supportEmailCode' },
} as const;

export type ProvableAddress = keyof typeof provenAs;

/** Where a partner's mails may go; null for nowhere. Another address than the proven one is none. */
export const verifiedContact = ({ contactEmail, verifiedContactEmail }: Contact): string | null =>
  contactEmail !== null && contactEmail === verifiedContactEmail ? contactEmail : null;

/**
 * Where a customer's answer to a mail goes: to the address that they are told to ask at, where somebody
 * has proven to read it; null for whoever sends the mails.
 */
export function replyAddress(partner: Contact & Support): string | null {
  const { supportEmail, verifiedSupportEmail } = partner;
  const isProven =
    supportEmail === verifiedSupportEmail || supportEmail === verifiedContact(partner);
  return supportEmail !== null && isProven ? supportEmail : null;
}
