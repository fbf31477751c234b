import type { Mode } from '../../domain/mode.ts';
import type { RequestType } from '../../domain/request.ts';
import type { Whose } from './partner-scope.ts';

/** Which requests are asked for: all that is given must hold. */
export interface LogFilter {
  partnerId: Whose;
  mode?: Mode | undefined;
  type?: RequestType | undefined;
  /** `ACCEPTED`, `REPLAYED`, `OK`, or the code of a refusal. */
  code?: string | undefined;
  externalOrderId?: string | undefined;
  /** UTC days, `yyyy-mm-dd`, both included. */
  fromDay?: string | undefined;
  toDay?: string | undefined;
}

/** From which integration event on: the id of one that was shown. Without it, from the newest. */
export type LogPlace = { olderThan: string } | { newerThan: string };

/** Ids between two bounds, neither included, in one direction. */
export interface Span {
  above: string;
  below: string;
  newestFirst: boolean;
}
