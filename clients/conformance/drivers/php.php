<?php

/** Carries out the commands of the conformance suite, one JSON line each: on Guzzle, which is Debian's, or on curl. */

declare(strict_types=1);

use PartnerEvents\{ApiException, AttemptReport, Client, PartnerException, RateLimit, Signing, Webhook, WebhookException};

require $argv[1];
if ($argv[2] === 'guzzle') {
    require '/usr/share/php/GuzzleHttp/autoload.php';
}

const START = 1_700_000_000.0;

function told(\PartnerEvents\Answer|PartnerException|InvalidArgumentException $outcome): array
{
    if ($outcome instanceof InvalidArgumentException) {
        return ['error' => 'INVALID', 'message' => $outcome->getMessage()];
    }
    if (!$outcome instanceof PartnerException) {
        return [
            'body' => $outcome->body,
            'replayed' => $outcome->replayed,
            'requestId' => $outcome->requestId,
            'rateLimit' => $outcome->rateLimit,
        ];
    }
    $message = $outcome->getMessage();
    if (!$outcome instanceof ApiException) {
        return ['error' => 'NETWORK', 'kind' => 'Connection', 'message' => $message, 'key' => $outcome->idempotencyKey];
    }
    $retryAfter = $outcome->retryAfterSeconds;
    return [
        'error' => $outcome->errorCode,
        'kind' => str_replace('Exception', '', (new ReflectionClass($outcome))->getShortName()),
        'status' => $outcome->status,
        'message' => $message,
        'requestId' => $outcome->requestId,
        'retryAfterMs' => $retryAfter === null ? null : (int) round($retryAfter * 1000),
        'rateLimit' => $outcome->rateLimit,
        'key' => $outcome->idempotencyKey,
    ];
}

/** Options of the suite, whose times are in milliseconds. */
function settings(array $options): array
{
    foreach (['timeoutMs' => 'timeout', 'maxRetryAfterMs' => 'maxRetryAfter'] as $ms => $seconds) {
        if (isset($options[$ms])) {
            $options[$seconds] = $options[$ms] / 1000;
            unset($options[$ms]);
        }
    }
    return $options;
}

function run(array $ask, bool $onGuzzle): array
{
    $options = settings($ask['options'] ?? []);
    $attempts = [];
    $slept = [];
    $http = [];
    if ($onGuzzle) {
        $factory = new GuzzleHttp\Psr7\HttpFactory();
        $guzzle = new GuzzleHttp\Client(['timeout' => $options['timeout'] ?? 10.0]);
        $http = ['http' => $guzzle, 'requests' => $factory, 'streams' => $factory];
    }
    $client = new Client(
        ...$options,
        ...$http,
        baseUrl: $ask['baseUrl'],
        key: $ask['key'],
        secret: $ask['secret'],
        onAttempt: function (AttemptReport $one) use (&$attempts): void {
            $attempts[] = [
                'method' => $one->method,
                'path' => $one->path,
                'attempt' => $one->attempt,
                'status' => $one->status,
                'requestId' => $one->requestId,
                'idempotencyKey' => $one->idempotencyKey,
                'error' => $one->error === null ? null : str_replace('Exception', '', (new ReflectionClass($one->error))->getShortName()),
                'retryInMs' => $one->retryIn === null ? null : (int) round($one->retryIn * 1000),
            ];
            throw new LogicException('a logger that fails');
        },
        // Advances only while the client sleeps.
        now: function () use (&$slept): float {
            return START + array_sum($slept);
        },
        random: fn (): float => 0.5,
        sleep: function (float $seconds) use (&$slept): void {
            $slept[] = $seconds;
        },
    );
    $outcomes = [];
    foreach ($ask['calls'] as $call) {
        $request = $call['request'] ?? [];
        $arguments = [...($request['customer'] ?? []), ...($request['order'] ?? []), ...$request];
        unset($arguments['customer'], $arguments['order']);
        // The client takes ids of digits as int, too.
        foreach ($arguments as $name => $value) {
            if (str_starts_with($name, 'external') && ctype_digit($value)) {
                $arguments[$name] = (int) $value;
            }
        }
        if (isset($call['idempotencyKey'])) {
            $arguments['idempotencyKey'] = $call['idempotencyKey'];
        }
        try {
            $one = $client->with(...settings($call['options'] ?? []));
            $returned = $one->{$call['method']}(...$arguments);
            $outcomes[] = $returned instanceof Generator
                ? ['items' => iterator_to_array($returned, false)]
                : told($returned);
        } catch (PartnerException | InvalidArgumentException $error) {
            $outcomes[] = told($error);
        }
    }
    return ['outcomes' => $outcomes, 'attempts' => $attempts, 'sleptMs' => array_map(fn ($s) => (int) round($s * 1000), $slept)];
}

function vector(array $of): array
{
    $parts = [$of['method'], $of['pathname'], $of['timestamp'], hex2bin($of['bodyHex'])];
    return ['canonical' => Signing::canonicalString(...$parts), 'signature' => Signing::sign($of['secret'], ...$parts)];
}

function webhook(array $of): array
{
    try {
        $body = hex2bin($of['bodyHex']);
        return ['event' => Webhook::verify($body, $of['headers'], $of['secrets'], now: $of['now'])->raw];
    } catch (WebhookException $error) {
        return ['error' => $error->errorCode];
    }
}

function signed(array $of): array
{
    return ['headers' => Webhook::sign(hex2bin($of['bodyHex']), $of['id'], $of['secret'], $of['at'])];
}

while (($line = fgets(STDIN)) !== false) {
    $ask = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $reply = match (true) {
        isset($ask['vector']) => vector($ask['vector']),
        isset($ask['sign']) => signed($ask['sign']),
        isset($ask['webhook']) => webhook($ask['webhook']),
        default => run($ask, $argv[2] === 'guzzle'),
    };
    echo json_encode($reply, JSON_THROW_ON_ERROR), "\n";
}
