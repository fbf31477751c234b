import { setTimeout as sleep } from 'node:timers/promises';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { PartnerApiError } from '../../errors.ts';
import type { LogEvent, LogFilter, LogQuery } from '../../portal-client.ts';
import { PortalClient } from '../../portal-client.ts';
import { retryDelayMs } from '../../retry.ts';
import { argument } from '../arguments.ts';
import { called } from '../called.ts';
import { type PortalOptions, resolvePortal } from '../credentials.ts';
import { reportFailure } from '../failure.ts';
import { follow } from './follow.ts';
import { type ForwardOptions, forward } from './forward.ts';
import { logLine, paintFor } from './line.ts';

interface LogOptions extends PortalOptions, LogFilter {
  json?: boolean;
}

interface ListenOptions extends LogOptions, ForwardOptions {
  forwardTo?: string;
}

const pollMs = 1_000;
const partRows = 500;
const maxRows = 10_000;

const tokenHelp = `
It asks the portal with an access token: make one there, on the page of your account, and give it as
PARTNER_TOKEN (which does not show in the list of processes) with PARTNER_PORTAL_URL. Times are UTC.
In the service's own repository, "npm start" writes a demo's, which are used without them.`;

const listenHelp = `
Examples:
  ${called} listen
  ${called} listen --mode TEST --type refund
  ${called} listen --json | jq -r .code
  ${called} listen --forward-to http://localhost:4000/hook

Many identical refusals share one line; ×12 says how many. Ctrl-C stops it.
With --forward-to it receives what a TEST webhook endpoint would from then on: each event is signed on this
machine, sent to the URL, and shown in the portal with its response.
${tokenHelp}`;

const logsHelp = `
Examples:
  ${called} logs
  ${called} logs --order A1
  ${called} logs --code INVALID_SIGNATURE --from 2025-01-01 --limit 200
  ${called} logs --json --limit 1000 | jq -s 'group_by(.code) | map({(.[0].code): length})'
${tokenHelp}`;

/** Adds the commands that show the log of signed requests, and follow it. */
export function addLogCommands(program: Command): void {
  logCommand(program, 'listen', 'show requests as they arrive')
    .option('--forward-to <url>', 'forward TEST webhooks to this URL instead')
    .option('--events <types>', 'only these webhooks, with commas between', list)
    .option(
      '--webhook-secret <secret>',
      'sign with this secret (PARTNER_WEBHOOK_SECRET; default: a new one)',
    )
    .addHelpText('after', listenHelp)
    .action((options: ListenOptions) => listen(options).catch(reported(options)));

  logCommand(program, 'logs', 'show past requests, newest last')
    .option('--from <day>', 'from this UTC day, such as 2025-01-31', argument(parseDay))
    .option('--to <day>', 'up to and including this UTC day', argument(parseDay))
    .option('--limit <rows>', `how many, up to ${maxRows}`, parseLimit, 25)
    .addHelpText('after', logsHelp)
    .action((options: LogOptions & { limit: number }) => showLog(options).catch(reported(options)));
}

const reported =
  ({ json = false }: LogOptions) =>
  (error: unknown): void =>
    reportFailure(error, { json });

function logCommand(program: Command, name: string, description: string): Command {
  return withPortal(program.command(name).description(description))
    .addOption(
      new Option('--mode <mode>', 'only TEST or only LIVE').argParser(upper('TEST', 'LIVE')),
    )
    .addOption(
      new Option('--type <type>', 'purchase, refund or read').argParser(
        upper('PURCHASE', 'REFUND', 'REDEMPTION', 'READ'),
      ),
    )
    .option('--code <code>', 'the outcome, such as ACCEPTED or INVALID_SIGNATURE')
    .option('--order <id>', 'only those of one order')
    .option('--json', 'print one JSON object per line');
}

/** Adds the options for the portal and the access token. */
export function withPortal(command: Command): Command {
  return command
    .option('--portal <url>', "the portal's address (PARTNER_PORTAL_URL)")
    .option('--token <token>', 'your access token (PARTNER_TOKEN)');
}

const filterOf = ({ mode, type, code, order, from, to }: LogFilter): LogFilter => ({
  mode,
  type,
  code,
  order,
  from,
  to,
});

async function listen(options: ListenOptions): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  process.once('SIGINT', end).once('SIGTERM', end);
  const client = new PortalClient({ ...resolvePortal(options, process.env), ended: ended.signal });
  const rest = async (delayMs: number) => {
    await sleep(delayMs, undefined, { signal: ended.signal });
  };
  const answered = <T>(once: () => Promise<T>) => untilAnswered(once, rest, ended.signal);
  const read = (query: LogQuery) => answered(() => client.log({ ...filterOf(options), ...query }));
  const next = async () => {
    await rest(pollMs);
    return true;
  };
  const print = printerOf(options);
  try {
    if (options.forwardTo !== undefined) {
      const portal = new PortalClient(resolvePortal(options, process.env));
      return await forward(
        { ...options, forwardTo: options.forwardTo },
        { portal, answered, next },
      );
    }
    if (!options.json) process.stderr.write('Listening for signed requests. Ctrl-C ends it.\n');
    for await (const event of follow({ read, next })) print(event);
  } catch (error) {
    if (!ended.signal.aborted) throw error;
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/** Retries while a response may still come, and says so: a listener survives a restart of the portal. */
async function untilAnswered<T>(
  once: () => Promise<T>,
  rest: (delayMs: number) => Promise<void>,
  ended: AbortSignal,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      const answer = await once();
      if (attempts > 1) process.stderr.write('listening again\n');
      return answer;
    } catch (error) {
      if (ended.aborted) throw error;
      const isLimited = error instanceof PartnerApiError && error.status === 429;
      const delayMs = isLimited
        ? (error.retryAfterMs ?? pollMs)
        : retryDelayMs(error, attempts, Math.random());
      if (delayMs === null || !(error instanceof Error)) throw error;
      if (attempts === 1 || isLimited) process.stderr.write(`${error.message}; trying again\n`);
      await rest(delayMs);
    }
  }
}

async function showLog(options: LogOptions & { limit: number }): Promise<void> {
  const client = new PortalClient(resolvePortal(options, process.env));
  const events: LogEvent[] = [];
  let older: string | undefined;
  do {
    const limit = Math.min(partRows, options.limit - events.length);
    const part = await client.log({ ...filterOf(options), older, limit });
    events.push(...part.events);
    older = part.next ?? undefined;
  } while (older !== undefined && events.length < options.limit);
  events.reverse().forEach(printerOf(options));
  if (events.length === 0) process.stderr.write('No request matches.\n');
}

function printerOf({ json }: LogOptions): (event: LogEvent) => void {
  const paint = paintFor(process.stdout);
  return (event) => {
    process.stdout.write(json ? `${JSON.stringify(event)}\n` : logLine(event, paint));
  };
}

function upper(...values: string[]): (text: string) => string {
  return (text) => {
    const value = text.toUpperCase();
    if (values.includes(value)) return value;
    throw new InvalidArgumentError(`It must be one of ${values.join(', ')}.`);
  };
}

const list = (text: string): string[] => text.split(',').map((one) => one.trim());

/** @throws RangeError unless it is a day */
function parseDay(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new RangeError('write a day as 2025-01-31');
}

function parseLimit(text: string): number {
  const rows = Number(text);
  if (Number.isInteger(rows) && rows >= 1 && rows <= maxRows) return rows;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${maxRows}.`);
}
