import type { Mode } from '../../domain/mode.ts';
import type { RequestType } from '../../domain/request.ts';
import type { ReadScope } from './partner-scope.ts';

/** Filters of the log; a request must meet all given ones. */
export interface LogFilter {
  partnerId: ReadScope;
  mode?: Mode | undefined;
  type?: RequestType | undefined;
  /** `ACCEPTED`, `REPLAYED`, `OK`, or the code of a refusal. */
  code?: string | undefined;
  externalOrderId?: string | undefined;
  /** UTC days, `yyyy-mm-dd`, inclusive. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/** Where a page begins: next to the integration event with this id. */
export type LogPlace = { olderThan: string } | { newerThan: string };

/** A range of ids between two exclusive bounds, with a direction. */
export interface Span {
  above: string;
  below: string;
  newestFirst: boolean;
}
