import { Schema } from 'mongoose';
import { type Role, roles } from '../../domain/operator-roles.ts';

/** A bearer token; kept as its hash alone. */
export interface OperatorTokenDoc {
  tokenId: string;
  hash: string;
  createdAt: Date;
  expiresAt: Date;
  /** To the minute. */
  lastUsedAt: Date | null;
  /** The network address that used it then. */
  lastUsedFrom: string | null;
  revokedAt: Date | null;
}

/** Another operator asked for this one, or for a higher role of theirs. */
export interface IntroductionDoc {
  by: string;
  at: Date;
  /** A third operator, who knows them all the same. */
  confirmedBy: string | null;
}

/** An operator, of whatever role. */
export interface OperatorDoc {
  _id: string;
  name: string;
  role: Role;
  tokens: OperatorTokenDoc[];
  /** Whoever asked for this operator, and for each higher role of theirs; nobody at the database. */
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
// Who has just been made has no token yet.
operatorSchema.index(
  { 'tokens.hash': 1 },
  { unique: true, name: 'one_token', partialFilterExpression: { 'tokens.hash': { $gt: '' } } },
);
operatorSchema.index({ role: 1, revokedAt: 1 });
