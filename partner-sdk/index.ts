export type { AnswerMeta } from './answer.ts';
export * from './client.ts';
export * from './errors.ts';
export * from './signature.ts';
export type * from './types.ts';
