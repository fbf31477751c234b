/** The contact address in a partner's profile, and the one that was last verified. */
interface Contact {
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
}

interface Support {
  supportEmail: string | null;
  verifiedSupportEmail?: string | null;
}

/** The addresses of a profile that are verified by a code, and the fields for the verified address and the code. */
export const provenAs = {
  contactEmail: { verified: 'verifiedContactEmail', code: 'contactEmailCode' },
  supportEmail: { verified: 'verifiedSupportEmail', code: 'supportEmailCode' },
} as const;

export type ProvableAddress = keyof typeof provenAs;

/** The partner's contact address, if it is verified; otherwise null. */
export const verifiedContact = ({ contactEmail, verifiedContactEmail }: Contact): string | null =>
  contactEmail !== null && contactEmail === verifiedContactEmail ? contactEmail : null;

/** The address for customers' replies: the support address, if it is verified; null for the sender's. */
export function replyAddress(partner: Contact & Support): string | null {
  const { supportEmail, verifiedSupportEmail } = partner;
  const isProven =
    supportEmail === verifiedSupportEmail || supportEmail === verifiedContact(partner);
  return supportEmail !== null && isProven ? supportEmail : null;
}
