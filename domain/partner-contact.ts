/** The contact address in a partner's profile, and the address that was verified. */
interface Contact {
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
}

/** Where emails to a partner may go; null if the contact address is not the verified one. */
export const verifiedContact = ({ contactEmail, verifiedContactEmail }: Contact): string | null =>
  contactEmail !== null && contactEmail === verifiedContactEmail ? contactEmail : null;

/**
 * The Reply-To address of emails to customers: the partner's support address, if it is the verified
 * one; null for the sender's address.
 */
export const replyAddress = (partner: Contact & { supportEmail: string | null }): string | null =>
  partner.supportEmail !== null && partner.supportEmail === verifiedContact(partner)
    ? partner.supportEmail
    : null;
