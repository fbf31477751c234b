<?php

/** Carries out the commands of the conformance suite, one JSON line each. Guzzle is Debian's. */

declare(strict_types=1);

use PartnerEvents\{ApiException, Client, PartnerException, RateLimit, Signing, Webhook, WebhookException};

require '/usr/share/php/GuzzleHttp/autoload.php';
require $argv[1];

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
        return ['error' => 'NETWORK', 'message' => $message, 'key' => $outcome->idempotencyKey];
    }
    $retryAfter = $outcome->retryAfterSeconds;
    return [
        'error' => $outcome->errorCode,
        'status' => $outcome->status,
        'message' => $message,
        'requestId' => $outcome->requestId,
        'retryAfterMs' => $retryAfter === null ? null : (int) round($retryAfter * 1000),
        'rateLimit' => $outcome->rateLimit,
        'key' => $outcome->idempotencyKey,
    ];
}

function run(array $ask): array
{
    $options = $ask['options'] ?? [];
    $timeout = ($options['timeoutMs'] ?? 10_000) / 1000;
    unset($options['timeoutMs']);
    $slept = [];
    $factory = new GuzzleHttp\Psr7\HttpFactory();
    $client = new Client(
        ...$options,
        baseUrl: $ask['baseUrl'],
        key: $ask['key'],
        secret: $ask['secret'],
        http: new GuzzleHttp\Client(['timeout' => $timeout]),
        requests: $factory,
        streams: $factory,
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
        if (isset($call['idempotencyKey'])) {
            $arguments['idempotencyKey'] = $call['idempotencyKey'];
        }
        try {
            $outcomes[] = told($client->{$call['method']}(...$arguments));
        } catch (PartnerException | InvalidArgumentException $error) {
            $outcomes[] = told($error);
        }
    }
    return ['outcomes' => $outcomes, 'sleptMs' => array_map(fn ($s) => (int) round($s * 1000), $slept)];
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
        return ['event' => Webhook::verify($body, $of['headers'], $of['secrets'], now: $of['now'])];
    } catch (WebhookException $error) {
        return ['error' => $error->errorCode];
    }
}

while (($line = fgets(STDIN)) !== false) {
    $ask = json_decode($line, true, flags: JSON_THROW_ON_ERROR);
    $reply = match (true) {
        isset($ask['vector']) => vector($ask['vector']),
        isset($ask['webhook']) => webhook($ask['webhook']),
        default => run($ask),
    };
    echo json_encode($reply, JSON_THROW_ON_ERROR), "\n";
}
