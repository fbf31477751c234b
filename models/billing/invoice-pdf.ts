import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { create } from 'fontkit';
import PDFDocument from 'pdfkit';
import type { InvoiceSheet, SheetParty } from './invoices.ts';

const { resolve } = createRequire(import.meta.url);
/** Latin, Greek, Cyrillic and Devanagari. */
const fontOf = (path: string) => resolve(`@expo-google-fonts/noto-sans/${path}`);
const fontFiles = {
  regular: fontOf('400Regular/NotoSans_400Regular.ttf'),
  bold: fontOf('700Bold/NotoSans_700Bold.ttf'),
};

/** Replaces characters that the font lacks. */
const replacement = '\uFFFD';

const margin = 56;
const gap = 24;
const grey = '#555555';

interface Written {
  x?: number;
  y?: number;
  width?: number;
  align?: 'right';
  isBold?: boolean;
  size?: number;
  color?: string;
}

/**
 * Renders an invoice as a PDF on A4, byte for byte the same each time.
 * @param issuedAt the date of the document
 */
export async function invoicePdf(sheet: InvoiceSheet, issuedAt: Date): Promise<Buffer> {
  const [regular, bold] = await Promise.all([
    readFile(fontFiles.regular),
    readFile(fontFiles.bold),
  ]);
  const printable = printableIn(regular);
  const document = new PDFDocument({
    size: 'A4',
    margin,
    pdfVersion: '1.7',
    lang: 'en',
    displayTitle: true,
    info: {
      Title: `Invoice ${sheet.number}`,
      ...(sheet.issuer && { Author: sheet.issuer.name }),
      CreationDate: issuedAt,
    },
  });
  document.registerFont('regular', regular).registerFont('bold', bold);
  const bytes = buffer(document);
  const width = document.page.width - 2 * margin;
  const half = (width - gap) / 2;

  const write = (
    text: string,
    { x = margin, y = document.y, isBold, size = 10, color = '#000000', ...options }: Written = {},
  ) => {
    document.font(isBold ? 'bold' : 'regular', size).fillColor(color);
    document.text(printable.of(text), x, y, { width, lineGap: 2, ...options });
  };
  /** A row of columns, moved to a new page if it does not fit. */
  const row = (columns: readonly ((y: number) => void)[], heightNeeded: number) => {
    if (document.y + heightNeeded > document.page.height - margin) document.addPage();
    const top = document.y;
    const bottoms = columns.map((column) => {
      column(top);
      return document.y;
    });
    document.y = Math.max(...bottoms);
  };
  const party =
    (title: string, { name, lines }: SheetParty, x: number) =>
    (y: number) => {
      write(title, { x, y, width: half, color: grey });
      write(name, { x, width: half, isBold: true });
      for (const line of lines) write(line, { x, width: half });
    };
  const rule = () => {
    document.moveTo(margin, document.y).lineTo(margin + width, document.y);
    document.lineWidth(0.5).strokeColor('#999999').stroke();
    document.y += 6;
  };
  const priced = (what: string, amount: string, isBold = false) => {
    const wide = width * 0.72;
    document.font(isBold ? 'bold' : 'regular', 10);
    const needed = document.heightOfString(printable.of(what), { width: wide, lineGap: 2 });
    const right = { x: margin + wide, width: width - wide, align: 'right' as const };
    row(
      [
        (y) => write(what, { y, width: wide, isBold }),
        (y) => write(amount, { ...right, y, isBold }),
      ],
      needed,
    );
    document.y += 4;
  };

  write(`Invoice ${sheet.number}`, { isBold: true, size: 20 });
  document.y += gap / 2;
  row(
    [
      ...(sheet.issuer ? [party('From', sheet.issuer, margin)] : []),
      party('Billed to', sheet.billedTo, sheet.issuer ? margin + half + gap : margin),
    ],
    0,
  );
  document.y += gap;
  for (const [label, text] of sheet.facts) {
    row(
      [
        (y) => write(label, { y, width: 90, color: grey }),
        (y) => write(text, { x: margin + 96, y, width: width - 96 }),
      ],
      14,
    );
  }
  document.y += gap;
  priced('Description', 'Amount', true);
  rule();
  for (const { description, amount } of sheet.lines) priced(description, amount);
  rule();
  priced(`Total, due on ${sheet.due}`, sheet.total, true);
  document.y += gap / 2;
  if (sheet.terms !== null) write(sheet.terms, { color: grey, size: 9 });
  if (sheet.payment.length > 0) {
    document.y += gap / 2;
    write('Payment', { isBold: true });
    for (const line of sheet.payment) write(line);
  }
  if (printable.isLacking()) {
    document.y += gap / 2;
    write(
      `${replacement} stands for a character that the font of this document lacks. The page of this invoice in the portal shows it.`,
      { color: grey, size: 9 },
    );
  }
  document.end();
  return await bytes;
}

/** Replaces the characters of texts that a font lacks. */
function printableIn(fontFile: Buffer) {
  const font = create(fontFile);
  if (!('hasGlyphForCodePoint' in font))
    throw new Error('the file does not contain exactly one font');
  let isLacking = false;
  return {
    of(text: string): string {
      return Array.from(text.normalize('NFC'), (character) => {
        if (font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0)) return character;
        isLacking = true;
        return replacement;
      }).join('');
    },
    isLacking: () => isLacking,
  };
}
