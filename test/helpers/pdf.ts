import { extractText, getDocumentProxy } from 'unpdf';

/** What a reader of a PDF sees, each run of blanks as one. */
export async function textInPdf(bytes: Uint8Array): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(bytes));
  const { text } = await extractText(document, { mergePages: true });
  return text.replace(/\s+/g, ' ');
}
