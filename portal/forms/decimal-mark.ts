import { type DecimalMark, decimalMarks } from '../../domain/numbers.ts';
import type { PageContext } from '../context.ts';

/** The decimal mark of the language that the browser prefers; a point, as on our pages, if it says nothing. */
export function browserMarkOf(ctx: Pick<PageContext, 'get'>): DecimalMark | undefined {
  const [language = 'en'] = /^[a-z]{2,3}(?:-[a-z\d]{1,8})*/i.exec(ctx.get('Accept-Language')) ?? [];
  const mark = markIn(language);
  return decimalMarks.find((one) => one === mark);
}

function markIn(language: string): string | undefined {
  try {
    const parts = new Intl.NumberFormat(language).formatToParts(1.5);
    return parts.find(({ type }) => type === 'decimal')?.value;
  } catch {
    return undefined;
  }
}
