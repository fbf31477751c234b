import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { buffer } from 'node:stream/consumers';
import { create } from 'fontkit';
import PDFDocument from 'pdfkit';

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
export const gap = 24;
export const grey = '#555555';

interface Written {
  x?: number;
  y?: number;
  width?: number;
  align?: 'right';
  isBold?: boolean;
  size?: number;
  color?: string;
}

/** A cell of a row: where it begins and how wide it is, in points. */
export interface PdfCell extends Omit<Written, 'x' | 'y'> {
  text: string;
  x: number;
  width: number;
}

/**
 * Begins a PDF on A4, which is byte for byte the same each time.
 * @param createdAt the date of the document
 */
export async function openPdfSheet({
  title,
  author,
  createdAt,
}: {
  title: string;
  author: string | null;
  createdAt: Date;
}) {
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
      Title: title,
      ...(author !== null && { Author: author }),
      CreationDate: createdAt,
    },
  });
  document.registerFont('regular', regular).registerFont('bold', bold);
  const bytes = buffer(document);
  const width = document.page.width - 2 * margin;

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
  return {
    margin,
    width,
    write,
    row,
    /** A row of cells, as high as the highest. */
    cells(all: readonly PdfCell[]) {
      const heights = all.map(({ text, width: wide, isBold, size = 10 }) => {
        document.font(isBold ? 'bold' : 'regular', size);
        return document.heightOfString(printable.of(text), { width: wide, lineGap: 2 });
      });
      const columns = all.map(
        ({ text, ...options }) =>
          (y: number) =>
            write(text, { ...options, y }),
      );
      row(columns, Math.max(...heights));
    },
    space(points: number) {
      document.y += points;
    },
    rule() {
      document.moveTo(margin, document.y).lineTo(margin + width, document.y);
      document.lineWidth(0.5).strokeColor('#999999').stroke();
      document.y += 6;
    },
    /** @param page where whoever reads the document finds characters that the font lacks */
    async end(page: string): Promise<Buffer> {
      if (printable.isLacking()) {
        document.y += gap / 2;
        write(
          `${replacement} stands for a character that the font of this document lacks. ${page} in the portal shows it.`,
          { color: grey, size: 9 },
        );
      }
      document.end();
      return await bytes;
    },
  };
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
