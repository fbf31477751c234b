import { Schema } from 'mongoose';
import { type Role, roles } from '../../domain/operator-roles.ts';

/** A bearer token, stored as its hash only. */
export interface OperatorTokenDoc {
  tokenId: string;
  hash: string;
  createdAt: Date;
  expiresAt: Date;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The client address of the last use. */
  lastUsedFrom: string | null;
  revokedAt: Date | null;
}

/** Another operator had this one created, or promoted. */
export interface IntroductionDoc {
  by: string;
  at: Date;
  /** A third operator who confirmed this one. */
  confirmedBy: string | null;
}

export interface OperatorDoc {
  _id: string;
  name: string;
  role: Role;
  tokens: OperatorTokenDoc[];
  /**
   * Who had this operator created, and promoted each time; empty if created in the database
   * directly.
   */
  introductions: IntroductionDoc[];
  createdAt: Date;
  revokedAt: Date | null;
}

const tokenSchema = new Schema<OperatorTokenDoc>(
  {
    tokenId: { type: String, required: true },
    hash: { type: String, required: true },
    createdAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
    lastUsedAt: { type: Date, default: null },
    lastUsedFrom: { type: String, default: null },
    revokedAt: { type: Date, default: null },
  },
  { _id: false },
);

const introductionSchema = new Schema<IntroductionDoc>(
  {
    by: { type: String, required: true },
    at: { type: Date, required: true },
    confirmedBy: { type: String, default: null },
  },
  { _id: false },
);

export const operatorSchema = new Schema<OperatorDoc>(
  {
    _id: { type: String, required: true },
    name: { type: String, required: true },
    role: { type: String, enum: roles, required: true },
    tokens: { type: [tokenSchema], required: true },
    introductions: { type: [introductionSchema], required: true },
    createdAt: { type: Date, required: true },
    revokedAt: { type: Date, default: null },
  },
  { collection: 'operators', versionKey: false },
);
// A new operator has no token yet.
operatorSchema.index(
  { 'tokens.hash': 1 },
  { unique: true, name: 'one_token', partialFilterExpression: { 'tokens.hash': { $gt: '' } } },
);
operatorSchema.index({ role: 1, revokedAt: 1 });
