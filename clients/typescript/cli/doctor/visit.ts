import { ConnectionError, PartnerApiError } from '../../errors.ts';
import {
  type ConnectionOptions,
  otherModeSecret,
  resolveBaseUrl,
  resolveCredential,
} from '../credentials.ts';
import { describe, explain } from '../failure.ts';
import { readInput } from '../input.ts';
import { toJson } from '../json.ts';
import { UsageError } from '../usage-error.ts';
import { type DoctorReport, examineRequest } from './examine.ts';
import { renderReport } from './render.ts';
import { type ReadyRequest, sendAsIs } from './send.ts';

/** The options of the command, as entered. */
export interface VisitOptions extends ConnectionOptions {
  method: string;
  path: string;
  body?: string;
  timestamp?: string;
  signature?: string;
  canonical?: string;
  oldSecret?: string;
  send?: boolean;
  key?: string;
  brand?: string | undefined;
  json?: boolean;
}

/**
 * Compares the signed string with the one that the service would build, and with `send`, sends the
 * request. Sets the exit code to 1 if something is wrong.
 * @throws UsageError for options that cannot be used
 */
export async function visitDoctor(options: VisitOptions, env: NodeJS.ProcessEnv): Promise<void> {
  if (options.body === '-' && options.canonical === '-') {
    throw new UsageError('only one of --body and --canonical can come from standard input');
  }
  const credential = resolveCredential(options, env);
  const baseUrl = options.send || options.url ? resolveBaseUrl(options, env) : null;
  const { method, path, timestamp, signature, oldSecret: REVOKED } = options;
  const [body, canonical] = await Promise.all(
    [options.body, options.canonical].map((value) =>
      value === undefined ? undefined : readInput(value),
    ),
  );
  const base = baseUrl === null ? null : new URL(baseUrl);
  // A path of the service's address may be removed by a proxy before it.
  const removed = [base?.pathname.replace(/\/+$/, '') ?? ''].filter((one) => one !== '');
  const report = examineRequest(
    {
      method,
      path,
      body,
      timestamp,
      signature,
      canonical: canonical?.toString('utf8'),
      host: base?.host ?? null,
      removed,
    },
    credential,
    { REVOKED, OTHER_MODE: otherModeSecret(options, env) },
    Date.now() / 1000,
  );
  if (report.diagnosis) process.exitCode = 1;
  const print = (text: string): void => void process.stdout.write(text);
  if (!options.json) print(renderReport(report));
  if (baseUrl === null || !options.send) {
    if (options.json) print(toJson(presentReport(report)));
    return;
  }
  const outcome = await send({
    baseUrl,
    method,
    path,
    body: body ?? Buffer.alloc(0),
    brand: options.brand,
    key: credential.key,
    timestamp: report.request.timestamp,
    signature: signature ?? report.rightSignature,
    idempotencyKey: options.key,
  });
  if (options.json) print(toJson({ ...presentReport(report), ...outcome.told }));
  else print(outcome.text);
}

/** Sends the request; a refusal is a result like any other response. */
async function send(request: ReadyRequest): Promise<{ told: object; text: string }> {
  try {
    const answer = await sendAsIs(request, Date.now());
    return { told: { answer }, text: `The service accepts it:\n${toJson(answer)}` };
  } catch (error) {
    if (!(error instanceof PartnerApiError || error instanceof ConnectionError)) throw error;
    process.exitCode = 1;
    return { told: describe(error), text: `The service refuses it.\n${explain(error)}` };
  }
}

function presentReport({ lines, rightSignature, diagnosis }: DoctorReport) {
  return { lines, signature: rightSignature, findings: diagnosis?.findings ?? [] };
}
