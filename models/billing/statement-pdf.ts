import { moneyText } from '../../domain/money.ts';
import { type Movement, movementWords, type StatementDays, subjectOf } from '../ledger/index.ts';
import { gap, grey, openPdfSheet } from './pdf-sheet.ts';

/** A statement of funding, with all its movements. */
export interface PrintedStatement extends StatementDays {
  partner: { name: string; partnerId: string; currency: string };
  openingCents: number;
  closingCents: number;
  movements: readonly Movement[];
  createdAt: Date;
}

const size = 8;

/** Renders a statement of funding as a PDF on A4. */
export async function statementPdf(statement: PrintedStatement): Promise<Buffer> {
  const { partner, fromDay, toDay, openingCents, closingCents, movements, createdAt } = statement;
  const { currency } = partner;
  const pdf = await openPdfSheet({ title: 'Statement of funding', author: null, createdAt });
  const { margin, width, write } = pdf;
  const [when, what, subject, amount] = [0.14, 0.36, 0.66, 0.83].map((share) => width * share);
  const edges = [0, when, what, subject, amount, width] as number[];
  const line = (texts: readonly string[], isBold = false) => {
    pdf.cells(
      texts.map((text, at) => {
        const [from = 0, to = width] = [edges[at], edges[at + 1]];
        const isAmount = at >= 3;
        const cell = { text, x: margin + from, width: to - from - 4, size, isBold };
        return isAmount ? { ...cell, align: 'right' as const } : cell;
      }),
    );
    pdf.space(3);
  };
  const timeText = (at: Date) => at.toISOString().slice(0, 16).replace('T', ' ');

  write('Statement of funding', { isBold: true, size: 20 });
  pdf.space(gap / 2);
  write(partner.name, { isBold: true });
  write(partner.partnerId, { color: grey });
  write(`${fromDay} to ${toDay}, in ${currency}. Days and times are UTC.`);
  pdf.space(gap);
  line(['When', 'Movement', 'For', 'Amount', 'Balance after'], true);
  pdf.rule();
  line([fromDay, 'Opening balance', '', '', moneyText(openingCents, currency)], true);
  for (const movement of movements) {
    line([
      timeText(movement.at),
      movementWords[movement.kind] ?? movement.kind,
      subjectOf(movement),
      moneyText(movement.amountCents, currency),
      moneyText(movement.balanceCents, currency),
    ]);
  }
  pdf.rule();
  line([toDay, 'Closing balance', '', '', moneyText(closingCents, currency)], true);
  return await pdf.end('The page of this statement');
}
