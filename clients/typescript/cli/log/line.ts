import { styleText } from 'node:util';
import type { LogEvent } from '../../portal-client.ts';

type Style = Parameters<typeof styleText>[0];

/** Colours a text, if the output supports colours. */
export type Paint = (style: Style, text: string) => string;

/** Colours for a stream: only on a terminal, and not if NO_COLOR is set. */
export const paintFor =
  (stream: NodeJS.WriteStream): Paint =>
  (style, text) =>
    styleText(style, text, { stream });

/** One request as a line: fields of fixed width first, and the order id last. */
export function logLine(event: LogEvent, paint: Paint): string {
  const { receivedAt, mode, status, type, code, count, externalOrderId } = event;
  const columns = [
    paint('dim', receivedAt.slice(0, 19).replace('T', ' ')),
    paint(mode === 'LIVE' ? 'magenta' : 'cyan', mode),
    paint(styleOf(event), String(status)),
    type.padEnd(8),
    paint('dim', (event.eventId ?? event.requestId).padEnd(30)),
    paint(styleOf(event), code.padEnd(27)),
    [...(count > 1 ? [`×${count}`] : []), printable(externalOrderId ?? '–')].join(' '),
  ];
  return `${columns.join('  ')}\n`;
}

function styleOf({ status, code }: LogEvent): Style {
  if (status >= 400) return 'red';
  return code === 'REPLAYED' ? 'dim' : 'green';
}

/** Replaces characters that could move the cursor or reverse the line. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD');
