import type { ErrorCode } from '../domain/error-codes.ts';
import { ServiceError } from '../domain/errors.ts';

/** A refusal whose page has a title of its own. */
export class TitledError extends ServiceError {
  readonly title: string;

  constructor(code: ErrorCode, title: string, message: string) {
    super(code, message);
    this.title = title;
  }
}
