import { setTimeout } from 'node:timers/promises';
import { Argument, Command, Option } from 'commander';
import { argument, parsePathname, parsePoints, readMetadata } from './cli/arguments.ts';
import { called } from './cli/called.ts';
import { type ConnectionOptions, resolveBaseUrl, resolveCredential } from './cli/credentials.ts';
import { type VisitOptions, visitDoctor } from './cli/doctor/visit.ts';
import { reportExit, reportFailure } from './cli/failure.ts';
import { deriveIdempotencyKey } from './cli/idempotency-key.ts';
import { readInput } from './cli/input.ts';
import { toJson } from './cli/json.ts';
import { addLogCommands, withPortal } from './cli/log/commands.ts';
import { amountOf } from './cli/money.ts';
import { downloadReceipt, verify, verifyHelp } from './cli/receipt.ts';
import { reconcile, reconcileHelp } from './cli/reconcile.ts';
import { type RehearseOptions, rehearse, rehearseHelp } from './cli/rehearse.ts';
import {
  renderBalance,
  renderBilling,
  renderPlans,
  renderPurchase,
  renderQuote,
  renderRedemption,
  renderRefund,
  renderReward,
  renderUsage,
} from './cli/render.ts';
import { eventTriggers, type TriggerOptions, trigger, triggers } from './cli/trigger.ts';
import { UsageError } from './cli/usage-error.ts';
import { PartnerClient } from './client.ts';
import { signedHeaders } from './signature.ts';

interface CommonOptions extends ConnectionOptions {
  brand?: string;
  json?: boolean;
}

interface EventOptions extends CommonOptions {
  order: string;
  occurredAt?: string;
  metadata?: string;
  key?: string;
}

interface CustomerOptions extends CommonOptions {
  email?: string;
  phone?: string;
}

/** The part of an order, or of a price, that is asked for in money. */
interface PartOptions {
  amount?: string;
  currency?: string;
}

interface RedeemOptions extends PartOptions {
  redemption: string;
  points?: number;
  order?: string;
  hold?: boolean;
  key?: string;
}

const replayHelp = `
The idempotency key is made from the operation and its ids, so that repeating the same command
replays the first response and changes nothing; different data under the same ids is a conflict.
Give --key to choose it yourself.`;

const doctorHelp = `
Give what you know about a refused request. The string that the service builds is shown line by line,
with any line that differs from yours and the usual reason for it. Nothing leaves this machine
without --send. Exit code 1 when something is wrong.`;

const triggerHelp = `
Examples:
  ${called} trigger purchase --subtotal 12.00
  ${called} trigger refund
  ${called} trigger claim
  ${called} trigger expire --reward PNR_…
  ${called} trigger invoice.issued

This works only in TEST. An event that nothing in TEST causes is sent as an example, to TEST endpoints and
to terminals that run "listen --forward-to"; its data has "isExample". Refunds, claims and expiries report a
purchase first; a review is opened by refunding a claimed purchase. Claims and expiries go through the
portal, with the access token (PARTNER_TOKEN and PARTNER_PORTAL_URL) of a user who can use the TEST clock.
--json prints one object per step.`;

const connectionHelp = `
Set PARTNER_URL, PARTNER_KEY and PARTNER_SECRET, or the options of each command. In the service's
own repository the demo's key is used: TEST, or LIVE with --live.
Exit codes: 0 accepted, 1 refused or no response, 2 a wrong command, 3 something was found.`;

// Set before the commands are added, which inherit it: this file determines the exit codes.
const program = new Command('partner-events')
  .description("Sends signed purchases and refunds, as a partner's back end would.")
  .exitOverride()
  .helpCommand(false)
  .configureHelp({
    subcommandTerm: (one) =>
      [one.name(), ...one.registeredArguments.map((argument) => `<${argument.name()}>`)].join(' '),
  })
  .addHelpText('after', connectionHelp);

program.commandsGroup('Report:');
eventCommand('purchase', 'report a purchase')
  .requiredOption('--subtotal <amount>', 'order subtotal in its currency, such as 49.90')
  .option('--email <address>', "the customer's email address (this or --phone)")
  .option('--phone <number>', "the customer's phone number (this or --email)")
  .option('--currency <code>', 'three letters (default: USD)')
  .action(
    async (
      options: EventOptions & {
        subtotal: string;
        email?: string;
        phone?: string;
        currency?: string;
      },
    ) => {
      const { order: externalOrderId, subtotal, email, phone, currency } = options;
      const { occurredAt } = options;
      const metadata = await readMetadata(options.metadata);
      const idempotencyKey = options.key ?? deriveIdempotencyKey('purchase', externalOrderId);
      const customer = { email, phone };
      const order = { subtotalCents: centsOf('--subtotal', subtotal, currency), currency };
      const request = { externalOrderId, customer, order, occurredAt, metadata };
      return await show(
        options,
        (client) => client.purchase(request, { idempotencyKey }),
        renderPurchase,
      );
    },
  );

eventCommand('refund', 'report the refund of a purchase')
  .option('--refund-id <id>', 'your id of the refund (default: "refund:<order>")')
  .option('--amount <amount>', 'the part that came back, such as 12.00 (default: all that is left)')
  .option('--currency <code>', "the order's, with --amount")
  .option('--reason <text>', 'up to 500 characters')
  .action(async (options: EventOptions & PartOptions & { refundId?: string; reason?: string }) => {
    const { order: externalOrderId, refundId: externalRefundId, reason } = options;
    const { occurredAt } = options;
    const amountCents = partOf(options);
    if (amountCents !== undefined && externalRefundId === undefined) {
      throw new UsageError(
        '--amount needs --refund-id: each part of an order needs an id of its own',
      );
    }
    const metadata = await readMetadata(options.metadata);
    const ids = [externalOrderId, ...(externalRefundId === undefined ? [] : [externalRefundId])];
    const idempotencyKey = options.key ?? deriveIdempotencyKey('refund', ...ids);
    const request = {
      externalOrderId,
      externalRefundId,
      amountCents,
      reason,
      occurredAt,
      metadata,
    };
    return await show(
      options,
      (client) => client.refund(request, { idempotencyKey }),
      renderRefund,
    );
  });

program.commandsGroup('At the checkout:');
customerCommand('quote', 'show what a purchase would give')
  .requiredOption('--subtotal <amount>', 'order subtotal in its currency, such as 49.90')
  .option('--currency <code>', 'three letters (default: USD)')
  .action((options: CustomerOptions & { subtotal: string; currency?: string }) => {
    const { subtotal, currency, email, phone } = options;
    const isKnown = email !== undefined || phone !== undefined;
    const request = {
      order: { subtotalCents: centsOf('--subtotal', subtotal, currency), currency },
      ...(isKnown && { customer: { email, phone } }),
    };
    return show(options, (client) => client.quote(request), renderQuote);
  });

customerCommand('balance', 'show what a customer can spend').action((options: CustomerOptions) => {
  const { email, phone } = options;
  return show(options, (client) => client.balance({ customer: { email, phone } }), renderBalance);
});

customerCommand('redeem', "pay with a customer's points")
  .requiredOption('--redemption <id>', 'your id of the redemption')
  .option('--points <number>', 'how many (this or --amount)', argument(parsePoints))
  .option('--amount <amount>', 'what they pay for, such as 4.90')
  .option('--currency <code>', "the partner's, with --amount")
  .option('--order <id>', 'your id of the order that they pay for')
  .option('--hold', 'hold them for 15 minutes, until they are captured')
  .option('--key <key>', 'the idempotency key')
  .addHelpText('after', replayHelp)
  .action((options: CustomerOptions & RedeemOptions) => {
    const { redemption: externalRedemptionId, points, hold } = options;
    const amountCents = partOf(options);
    const { email, phone, order: externalOrderId } = options;
    const idempotencyKey = options.key ?? deriveIdempotencyKey('redemption', externalRedemptionId);
    const customer = { email, phone };
    const what = { points, amountCents, externalOrderId, hold };
    const request = { externalRedemptionId, customer, ...what };
    return show(options, (client) => client.redeem(request, { idempotencyKey }), renderRedemption);
  });

for (const [name, description] of [
  ['capture', 'spend points that are held'],
  ['release', 'give held points back to the customer'],
  ['reverse', 'give spent points back: their order is refunded'],
] as const) {
  command(name, description)
    .argument('<id>', 'the redemption, red_…')
    .action((redemptionId: string, options: CommonOptions) => {
      const idempotencyKey = deriveIdempotencyKey(name, redemptionId);
      const end = (client: PartnerClient) => client[name](redemptionId, { idempotencyKey });
      return show(options, end, renderRedemption);
    });
}

program.commandsGroup('Read:');
command('reward', 'show the current state of a reward')
  .argument('<id>', 'the reward, PNR_…')
  .action((rewardId: string, options: CommonOptions) =>
    show(options, (client) => client.reward(rewardId), renderReward),
  );

command('receipt', 'print the receipt of a LIVE reward')
  .argument('<id>', 'the reward, PNR_…')
  .action(async (rewardId: string, options: CommonOptions) => {
    try {
      await downloadReceipt(connect(options), rewardId);
    } catch (error) {
      reportFailure(error, options);
    }
  });

program
  .command('verify')
  .description('check a receipt offline, without trust in the service')
  .argument('<file>', 'the receipt, or - for standard input')
  .option(
    '--key <file>',
    "the service's public keys: its /.well-known/jwks.json, or one of its keys",
  )
  .option('--json', 'print JSON')
  .addHelpText('after', verifyHelp)
  .action(verify);

command('order', 'show the reward and the refunds of an order')
  .argument('<id>', 'your id of the order')
  .action((externalOrderId: string, options: CommonOptions) =>
    show(options, (client) => client.order(externalOrderId), renderReward),
  );

command('reconcile', 'compare your list of orders with what you reported')
  .argument('<file>', 'CSV or JSON lines (.jsonl, .ndjson), or - for standard input')
  .addOption(new Option('--type <type>', 'what the list is written in').choices(['csv', 'jsonl']))
  .addHelpText('after', reconcileHelp)
  .action(async (file: string, options: CommonOptions & { type?: 'csv' | 'jsonl' }) => {
    const client = connect(options);
    try {
      await reconcile(client, file, options);
    } catch (error) {
      reportFailure(error, options);
    }
  });

program.commandsGroup('Develop:');
command('rehearse', 'make TEST fail on purpose, and report how you did')
  .option('--minutes <number>', 'how long, up to 60 (default: 10)', argument(parsePoints))
  .option('--orders <number>', 'purchases to send from here meanwhile', argument(parsePoints))
  .addHelpText('after', rehearseHelp)
  .action(async (options: CommonOptions & RehearseOptions) => {
    const client = connect(options);
    try {
      await rehearse(client, options);
    } catch (error) {
      reportFailure(error, options);
    }
  });

program.commandsGroup('Read:');
command('plans', 'show the published plans').action((options: CommonOptions) =>
  show(options, (client) => client.plans(), renderPlans),
);

command('usage', 'show the points of the billing period').action((options: CommonOptions) =>
  show(options, (client) => client.usage(), renderUsage),
);

command('billing', 'show the subscription, the funding and the invoices').action(
  (options: CommonOptions) => show(options, (client) => client.billing(), renderBilling),
);

program.commandsGroup('Develop:');
command('sign', 'print the headers of a signed request, for curl')
  .requiredOption('--method <method>', 'the HTTP method')
  .requiredOption('--path <pathname>', 'the path as sent, without a query', argument(parsePathname))
  .option('--body <text>', 'the exact body: a text, @file, or - for standard input', '')
  .option('--key <key>', 'an Idempotency-Key to print with them')
  .action(
    async (
      options: CommonOptions & { method: string; path: string; body: string; key?: string },
    ) => {
      const body = await readInput(options.body);
      const headers = signedHeaders({
        ...resolveCredential(options, process.env),
        method: options.method,
        pathname: options.path,
        body,
        nowSeconds: Date.now() / 1000,
        brand: brandOf(options),
        idempotencyKey: options.key,
      });
      const text = Object.entries(headers).map(([name, value]) => `${name}: ${value}\n`);
      process.stdout.write(options.json ? toJson(headers) : text.join(''));
    },
  );

command('doctor', 'find out why a signature was refused')
  .option('--method <method>', 'the HTTP method', 'POST')
  .option(
    '--path <path>',
    'the path as you send it, with its query if it has one',
    '/api/v1/partner/purchases',
  )
  .option('--body <text>', 'the exact body: a text, @file, or - for standard input')
  .option('--timestamp <seconds>', 'the timestamp header that you sent')
  .option('--signature <value>', 'the signature header that you sent')
  .option('--canonical <text>', 'the string that you signed: a text, @file, or -')
  .option('--old-secret <secret>', 'an earlier secret, to check whether it was used')
  .option('--send', 'send it: with your --signature, otherwise correctly signed')
  .option('--key <key>', 'the Idempotency-Key to send')
  .addHelpText('after', doctorHelp)
  .action((options: CommonOptions & VisitOptions) =>
    visitDoctor({ ...options, brand: brandOf(options) }, process.env),
  );

addLogCommands(program);

withPortal(command('trigger', 'make something happen in TEST'))
  .addArgument(
    new Argument('<what>', 'an action, or the event to cause').choices([
      ...triggers,
      ...Object.keys(eventTriggers),
    ]),
  )
  .option('--order <id>', 'your id of the order (default: a new one)')
  .addOption(
    new Option('--subtotal <amount>', 'order subtotal')
      .argParser(argument((text) => amountOf(text)))
      .default(4_990, '49.90'),
  )
  .option('--email <address>', "the customer's email address", 'customer@example.com')
  .option('--reward <id>', 'claim or expire this reward instead of a new one')
  .addHelpText('after', triggerHelp)
  .action(async (what: string, options: CommonOptions & TriggerOptions) => {
    try {
      await trigger(what, options, {
        credential: () => resolveCredential(options, process.env),
        connect: () => connect(options),
        print: (answer, text) =>
          process.stdout.write(options.json ? `${JSON.stringify(answer)}\n` : text),
      });
    } catch (error) {
      reportFailure(error, options);
    }
  });

// The reader of the output, such as head, may close the pipe early.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});
try {
  await program.parseAsync();
} catch (error) {
  process.exitCode = reportExit(error);
}

function command(name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .option('--api-key <key>', 'the API key')
    .option('--secret <secret>', 'its signing secret')
    .option('--url <url>', "the service's base URL")
    .option(
      '--brand <word>',
      'the brand word in the header names (PARTNER_BRAND; default: Partner)',
    )
    .option('--live', "use the demo's LIVE credential instead of TEST")
    .option('--json', 'print JSON');
}

function customerCommand(name: string, description: string): Command {
  return command(name, description)
    .option('--email <address>', "the customer's email address (this or --phone)")
    .option('--phone <number>', "the customer's phone number (this or --email)");
}

function eventCommand(name: string, description: string): Command {
  return command(name, description)
    .requiredOption('--order <id>', 'your id of the order')
    .option('--occurred-at <time>', 'ISO 8601 with an offset, such as 2025-01-31T09:30:00+01:00')
    .option('--metadata <json>', 'a JSON object: a text, @file, or - for standard input')
    .option('--key <key>', 'the idempotency key')
    .addHelpText('after', replayHelp);
}

/**
 * The amount of a refund or redemption in minor units. Neither request names a currency, so that nobody would
 * notice that 49 yen were sent as 4900.
 */
function partOf({ amount, currency }: PartOptions): number | undefined {
  if (amount !== undefined && currency === undefined) {
    throw new UsageError('--amount needs --currency, such as --amount 12.00 --currency USD');
  }
  return amount === undefined ? undefined : centsOf('--amount', amount, currency);
}

/** @throws UsageError for what is no amount of the currency */
function centsOf(option: string, text: string, currency: string | undefined): number {
  try {
    return amountOf(text, currency);
  } catch (cause) {
    throw cause instanceof RangeError
      ? new UsageError(`${option}: ${cause.message}`, { cause })
      : cause;
  }
}

/** Calls the service and prints its response, or the refusal and what to do about it. */
async function show<T>(
  options: CommonOptions,
  ask: (client: PartnerClient) => Promise<T>,
  render: (answer: T) => string,
): Promise<void> {
  const client = connect(options);
  try {
    const answer = await ask(client);
    process.stdout.write(options.json ? toJson(answer) : render(answer));
  } catch (error) {
    reportFailure(error, options);
  }
}

function connect(options: CommonOptions): PartnerClient {
  const credential = resolveCredential(options, process.env);
  const baseUrl = resolveBaseUrl(options, process.env);
  try {
    return new PartnerClient({
      baseUrl,
      ...credential,
      brand: brandOf(options),
      sleep: announceAndSleep,
    });
  } catch (cause) {
    throw cause instanceof TypeError ? new UsageError(cause.message, { cause }) : cause;
  }
}

/** Tells the user why nothing happens for a while. */
function announceAndSleep(delayMs: number): Promise<unknown> {
  if (delayMs >= 1000) {
    process.stderr.write(`no success yet; retrying in ${Math.ceil(delayMs / 1000)} s\n`);
  }
  return setTimeout(delayMs);
}

function brandOf(options: CommonOptions): string | undefined {
  return options.brand || process.env.PARTNER_BRAND || undefined;
}
