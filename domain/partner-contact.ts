/** Where a partner is mailed, as its profile says, and the address that somebody has proven to read. */
interface Contact {
  contactEmail: string | null;
  verifiedContactEmail?: string | null;
}

/** Where a partner's mails may go; null for nowhere. Another address than the proven one is none. */
export const verifiedContact = ({ contactEmail, verifiedContactEmail }: Contact): string | null =>
  contactEmail !== null && contactEmail === verifiedContactEmail ? contactEmail : null;

/**
 * Where a customer's answer to a mail goes: to the address that they are told to ask at, where somebody
 * has proven to read it; null for whoever sends the mails.
 */
export const replyAddress = (partner: Contact & { supportEmail: string | null }): string | null =>
  partner.supportEmail !== null && partner.supportEmail === verifiedContact(partner)
    ? partner.supportEmail
    : null;
