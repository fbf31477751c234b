import { extractText, getDocumentProxy } from 'unpdf';

/** The text of a PDF, with each run of whitespace as one space. */
export async function textInPdf(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: true });
  return text.replace(/\s+/g, ' ');
}
