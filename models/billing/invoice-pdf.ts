import type { InvoiceSheet, SheetParty } from './invoices.ts';
import { gap, grey, openPdfSheet } from './pdf-sheet.ts';

/**
 * Renders an invoice or a credit note as a PDF on A4, byte for byte the same each time.
 * @param issuedAt the date of the document
 */
export async function invoicePdf(sheet: InvoiceSheet, issuedAt: Date): Promise<Buffer> {
  const pdf = await openPdfSheet({
    title: sheet.title,
    author: sheet.issuer?.name ?? null,
    createdAt: issuedAt,
  });
  const { margin, width, write, row } = pdf;
  const half = (width - gap) / 2;
  const party =
    (title: string, { name, lines }: SheetParty, x: number) =>
    (y: number) => {
      write(title, { x, y, width: half, color: grey });
      write(name, { x, width: half, isBold: true });
      for (const line of lines) write(line, { x, width: half });
    };
  const priced = (what: string, amount: string, isBold = false) => {
    const wide = width * 0.72;
    const right = { x: margin + wide, width: width - wide, align: 'right' as const };
    pdf.cells([
      { text: what, x: margin, width: wide, isBold },
      { text: amount, ...right, isBold },
    ]);
    pdf.space(4);
  };

  write(sheet.title, { isBold: true, size: 20 });
  pdf.space(gap / 2);
  row(
    [
      ...(sheet.issuer ? [party('From', sheet.issuer, margin)] : []),
      party('Billed to', sheet.billedTo, sheet.issuer ? margin + half + gap : margin),
    ],
    0,
  );
  pdf.space(gap);
  for (const [label, text] of sheet.entries) {
    row(
      [
        (y) => write(label, { y, width: 90, color: grey }),
        (y) => write(text, { x: margin + 96, y, width: width - 96 }),
      ],
      14,
    );
  }
  pdf.space(gap);
  priced('Description', 'Amount', true);
  pdf.rule();
  for (const { description, amount } of sheet.lines) priced(description, amount);
  pdf.rule();
  if (sheet.vat !== null) priced(sheet.vat.text, sheet.vat.amount);
  priced(sheet.due === null ? 'Total' : `Total, due on ${sheet.due}`, sheet.total, true);
  pdf.space(gap / 2);
  if (sheet.terms !== null) write(sheet.terms, { color: grey, size: 9 });
  if (sheet.payment.length > 0) {
    pdf.space(gap / 2);
    write('Payment', { isBold: true });
    for (const line of sheet.payment) write(line);
  }
  return await pdf.end(`The page of this ${sheet.due === null ? 'credit note' : 'invoice'}`);
}
