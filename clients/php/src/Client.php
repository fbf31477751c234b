<?php

declare(strict_types=1);

namespace PartnerEvents;

use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A partner's client of the service. Every method signs and sends a request, retries it if that can help (network
 * errors, 408, 429, 500, 502, 503, 504), and throws a PartnerException: an ApiException of its kind for a refusal,
 * ConnectionException without a response.
 */
final class Client
{
    private readonly string $origin;
    private readonly string $path;
    /** @var \Closure(): float */
    private readonly \Closure $now;
    /** @var \Closure(): float */
    private readonly \Closure $random;
    /** @var \Closure(float): void */
    private readonly \Closure $sleep;
    private readonly Transport $transport;
    /** Shared with the clients of other limits, since the rate limit is. */
    private readonly Gate $gate;

    /**
     * @param string $baseUrl the service's URL, such as `https://rewards.example.com`
     * @param string $key the API key; its mode, TEST or LIVE, is the client's mode
     * @param string $secret the signing secret, exactly as shown
     * @param ClientInterface|null $http a PSR-18 client with a timeout of its own, which does not follow redirects, and
     *   its PSR-17 factories; without it, the client sends with the curl extension
     * @param string $brand the brand word in the header names
     * @param float $timeout seconds for one attempt, including the response's body; a list has a second more for each 32 kB
     * @param float $maxRetryAfter the longest `Retry-After` to wait for, in seconds; the exception tells of a longer one
     * @param (\Closure(AttemptReport): void)|null $onAttempt is told of each attempt, for logs and traces; what it throws
     *   is ignored
     * @param bool $waitForRateLimit waits before a request that would exceed the rate limit according to the
     *   last response, rather than sending it and being refused
     * @param (\Closure(): float)|null $now seconds since the Unix epoch
     * @param (\Closure(): float)|null $random a number in [0, 1)
     * @param (\Closure(float): void)|null $sleep takes seconds
     * @throws \InvalidArgumentException if the base URL is not an http(s) URL, or the key or the secret is empty
     */
    public function __construct(
        string $baseUrl,
        private readonly string $key,
        #[\SensitiveParameter] private readonly string $secret,
        ?ClientInterface $http = null,
        ?RequestFactoryInterface $requests = null,
        ?StreamFactoryInterface $streams = null,
        private readonly string $brand = 'Partner',
        private int $maxAttempts = 7,
        private float $timeout = 10.0,
        private float $maxRetryAfter = Retry::LONGEST_RETRY_AFTER,
        private readonly ?\Closure $onAttempt = null,
        private readonly bool $waitForRateLimit = false,
        ?\Closure $now = null,
        ?\Closure $random = null,
        ?\Closure $sleep = null,
    ) {
        if (!preg_match('#^(https?://[^/?\#]+)([^?\#]*)#D', $baseUrl, $parts)) {
            throw new \InvalidArgumentException("\"$baseUrl\" is not an http:// or https:// URL");
        }
        if ($key === '' || $secret === '') {
            throw new \InvalidArgumentException('key and secret must not be empty');
        }
        if (preg_match('/^[\x21-\x7e]+$/D', $key) !== 1) {
            throw new \InvalidArgumentException('the key must be visible ASCII characters');
        }
        if ($http !== null && ($requests === null || $streams === null)) {
            throw new \InvalidArgumentException('give http with its factories: requests and streams');
        }
        $this->transport = $http === null || $requests === null || $streams === null
            ? new CurlTransport()
            : new PsrTransport($http, $requests, $streams);
        $this->gate = new Gate();
        $this->origin = $parts[1];
        // The path of the base URL is kept and signed.
        $this->path = rtrim($parts[2], '/') . '/api/v1/partner/';
        $this->now = $now ?? static fn (): float => microtime(true);
        $this->random = $random ?? static fn (): float => mt_rand() / (mt_getrandmax() + 1);
        $this->sleep = $sleep ?? static function (float $seconds): void {
            usleep((int) ($seconds * 1_000_000));
        };
    }

    /**
     * The same client with other limits, for a call: `$client->with(maxAttempts: 1)->quote(4990)`.
     *
     * @param float|null $timeout seconds for one attempt; without effect on a PSR-18 client
     */
    public function with(?float $timeout = null, ?int $maxAttempts = null, ?float $maxRetryAfter = null): self
    {
        $changed = clone $this;
        $changed->timeout = $timeout ?? $this->timeout;
        $changed->maxAttempts = $maxAttempts ?? $this->maxAttempts;
        $changed->maxRetryAfter = $maxRetryAfter ?? $this->maxRetryAfter;
        return $changed;
    }

    /**
     * Reports a purchase, and returns the reward that it earned. Give an email address, a phone number, or both.
     * The reward has a `claimUrl` for an integration that delivers its claim links itself.
     *
     * @param array<string, mixed>|null $metadata
     * @param string|null $idempotencyKey 1 to 255 visible ASCII characters; without it, it is derived from the order
     *   id, so that a retry after a crash of your process is a replay, too
     * @throws \InvalidArgumentException for what cannot be sent
     * @throws PartnerException
     */
    public function purchase(
        string|int $externalOrderId,
        int|float $subtotalCents,
        ?string $email = null,
        ?string $phone = null,
        ?string $currency = null,
        \DateTimeInterface|string|null $occurredAt = null,
        ?array $metadata = null,
        ?string $idempotencyKey = null,
    ): Answer {
        return $this->post('purchases', [
            'externalOrderId' => (string) $externalOrderId,
            'customer' => (object) self::known(['email' => $email, 'phone' => $phone]),
            'order' => self::known([
                'subtotalCents' => self::whole('subtotalCents', $subtotalCents),
                'currency' => $currency,
            ]),
            'occurredAt' => self::iso($occurredAt),
            'metadata' => $metadata === null ? null : (object) $metadata,
        ], ['purchase', (string) $externalOrderId], $idempotencyKey);
    }

    /**
     * Reports the refund of an earlier purchase. `ORIGINAL_PURCHASE_NOT_FOUND` means that the purchase was not
     * reported yet: report it, and then send the same refund with the same key again.
     *
     * @param int|float|null $amountCents how much of the order came back; all that is left if null
     * @param array<string, mixed>|null $metadata
     * @throws PartnerException
     */
    public function refund(
        string|int $externalOrderId,
        string|int|null $externalRefundId = null,
        ?string $reason = null,
        \DateTimeInterface|string|null $occurredAt = null,
        ?array $metadata = null,
        ?string $idempotencyKey = null,
        int|float|null $amountCents = null,
    ): Answer {
        $refundId = $externalRefundId === null ? null : (string) $externalRefundId;
        return $this->post('refunds', [
            'externalOrderId' => (string) $externalOrderId,
            'externalRefundId' => $refundId,
            'amountCents' => self::whole('amountCents', $amountCents),
            'reason' => $reason,
            'occurredAt' => self::iso($occurredAt),
            'metadata' => $metadata === null ? null : (object) $metadata,
        ], ['refund', (string) $externalOrderId, ...($refundId === null ? [] : [$refundId])], $idempotencyKey);
    }

    /** What a purchase would give now. Stores nothing. @throws PartnerException */
    public function quote(
        int|float $subtotalCents,
        ?string $email = null,
        ?string $phone = null,
        ?string $currency = null,
    ): Answer {
        $customer = self::known(['email' => $email, 'phone' => $phone]);
        return $this->ask('quotes', [
            'order' => self::known([
                'subtotalCents' => self::whole('subtotalCents', $subtotalCents),
                'currency' => $currency,
            ]),
            'customer' => $customer === [] ? null : $customer,
        ]);
    }

    /** What a customer can spend now; zeros for one who was never seen. @throws PartnerException */
    public function balance(?string $email = null, ?string $phone = null): Answer
    {
        $customer = self::known(['email' => $email, 'phone' => $phone]);
        return $this->ask('balances', ['customer' => (object) $customer]);
    }

    /**
     * Pays with a customer's points, or holds them for 15 minutes. Give `points` or `amountCents`.
     *
     * @throws PartnerException
     */
    public function redeem(
        string|int $externalRedemptionId,
        ?string $email = null,
        ?string $phone = null,
        int|float|null $points = null,
        int|float|null $amountCents = null,
        string|int|null $externalOrderId = null,
        ?bool $hold = null,
        ?string $idempotencyKey = null,
    ): Answer {
        return $this->post('redemptions', [
            'externalRedemptionId' => (string) $externalRedemptionId,
            'customer' => (object) self::known(['email' => $email, 'phone' => $phone]),
            'points' => self::whole('points', $points),
            'amountCents' => self::whole('amountCents', $amountCents),
            'externalOrderId' => $externalOrderId === null ? null : (string) $externalOrderId,
            'hold' => $hold,
        ], ['redemption', (string) $externalRedemptionId], $idempotencyKey);
    }

    /** Spends points that are held: their order is paid. @throws PartnerException */
    public function capture(string $redemptionId, ?string $idempotencyKey = null): Answer
    {
        return $this->end($redemptionId, 'capture', $idempotencyKey);
    }

    /** Gives points that are held back to the customer: their order was not placed. @throws PartnerException */
    public function release(string $redemptionId, ?string $idempotencyKey = null): Answer
    {
        return $this->end($redemptionId, 'release', $idempotencyKey);
    }

    /** Gives all spent points that are left back: the order that they paid for is refunded. @throws PartnerException */
    public function reverse(string $redemptionId, ?string $idempotencyKey = null): Answer
    {
        return $this->end($redemptionId, 'reverse', $idempotencyKey);
    }

    /**
     * Gives a part of them back: a part of the order is refunded. Give `points` or `amountCents`.
     *
     * @param string $idempotencyKey of this part, such as your id of the refund: two equal parts are two
     * @throws \InvalidArgumentException
     * @throws PartnerException
     */
    public function reversePart(
        string $redemptionId,
        int|float|null $points = null,
        int|float|null $amountCents = null,
        string $idempotencyKey = '',
    ): Answer {
        if (($points === null) === ($amountCents === null)) {
            throw new \InvalidArgumentException('give points or amountCents');
        }
        return $this->post('redemptions/' . rawurlencode($redemptionId) . '/reverse', [
            'points' => self::whole('points', $points),
            'amountCents' => self::whole('amountCents', $amountCents),
        ], [], $idempotencyKey);
    }

    /** The current state of a purchase's reward. @throws PartnerException */
    public function reward(string $rewardId): Answer
    {
        return $this->send('GET', 'rewards/' . rawurlencode($rewardId), '', null);
    }

    /**
     * An order as it is now, by your own id: what is left of it, its reward, refunds and redemptions.
     *
     * @throws PartnerException
     */
    public function order(string|int $externalOrderId): Answer
    {
        return $this->send('GET', 'orders/' . rawurlencode((string) $externalOrderId), '', null);
    }

    /**
     * A page of the orders that your integration reported, the newest change first. Of one customer with `email` or
     * `phone`, the newest order first; the key then also needs the scope `customers:read`.
     *
     * @param \DateTimeInterface|string|null $receivedTo the first time that is too late
     * @param string|null $status of the reward
     * @param int|null $limit 1 to 100; 25 by default
     * @param string|null $cursor the `nextCursor` of the previous page
     * @throws PartnerException
     */
    public function orders(
        ?string $email = null,
        ?string $phone = null,
        \DateTimeInterface|string|null $changedSince = null,
        \DateTimeInterface|string|null $receivedFrom = null,
        \DateTimeInterface|string|null $receivedTo = null,
        ?string $status = null,
        ?int $limit = null,
        ?string $cursor = null,
    ): Answer {
        $times = ['changedSince' => $changedSince, 'receivedFrom' => $receivedFrom, 'receivedTo' => $receivedTo];
        $query = [...array_map(self::iso(...), $times), 'status' => $status, 'limit' => $limit, 'cursor' => $cursor];
        return $this->listed('orders', ['email' => $email, 'phone' => $phone], $query);
    }

    /**
     * The same orders one by one; the next page is read when it is needed.
     *
     * @return \Generator<int, array<string, mixed>>
     * @throws PartnerException
     */
    public function allOrders(
        ?string $email = null,
        ?string $phone = null,
        \DateTimeInterface|string|null $changedSince = null,
        \DateTimeInterface|string|null $receivedFrom = null,
        \DateTimeInterface|string|null $receivedTo = null,
        ?string $status = null,
        ?int $limit = null,
    ): \Generator {
        $cursor = null;
        do {
            $page = $this->orders($email, $phone, $changedSince, $receivedFrom, $receivedTo, $status, $limit, $cursor);
            foreach ($page->body['orders'] as $order) {
                yield $order;
            }
            $cursor = $page->body['nextCursor'];
        } while ($cursor !== null);
    }

    /**
     * A page of the redemptions of your integration, the newest change first. Of one customer with `email` or `phone`,
     * the newest first; the key then also needs the scope `customers:read`.
     *
     * @param \DateTimeInterface|string|null $receivedTo the first time that is too late
     * @param string|null $status such as `CAPTURED`
     * @param int|null $limit 1 to 100; 25 by default
     * @param string|null $cursor the `nextCursor` of the previous page
     * @throws PartnerException
     */
    public function redemptions(
        ?string $email = null,
        ?string $phone = null,
        \DateTimeInterface|string|null $changedSince = null,
        \DateTimeInterface|string|null $receivedFrom = null,
        \DateTimeInterface|string|null $receivedTo = null,
        ?string $status = null,
        ?int $limit = null,
        ?string $cursor = null,
    ): Answer {
        $times = ['changedSince' => $changedSince, 'receivedFrom' => $receivedFrom, 'receivedTo' => $receivedTo];
        $query = [...array_map(self::iso(...), $times), 'status' => $status, 'limit' => $limit, 'cursor' => $cursor];
        return $this->listed('redemptions', ['email' => $email, 'phone' => $phone], $query);
    }

    /**
     * The same redemptions one by one; the next page is read when it is needed.
     *
     * @return \Generator<int, array<string, mixed>>
     * @throws PartnerException
     */
    public function allRedemptions(
        ?string $email = null,
        ?string $phone = null,
        \DateTimeInterface|string|null $changedSince = null,
        \DateTimeInterface|string|null $receivedFrom = null,
        \DateTimeInterface|string|null $receivedTo = null,
        ?string $status = null,
        ?int $limit = null,
    ): \Generator {
        $cursor = null;
        do {
            $page = $this->redemptions($email, $phone, $changedSince, $receivedFrom, $receivedTo, $status, $limit, $cursor);
            foreach ($page->body['redemptions'] as $redemption) {
                yield $redemption;
            }
            $cursor = $page->body['nextCursor'];
        } while ($cursor !== null);
    }

    /**
     * Ends the hold of an order, since nothing of it will come back; a repeat returns the order as it is.
     *
     * @throws PartnerException
     */
    public function releaseOrder(string|int $externalOrderId, ?string $idempotencyKey = null): Answer
    {
        $resource = 'orders/' . rawurlencode((string) $externalOrderId) . '/release';
        return $this->post($resource, [], ['releaseOrder', (string) $externalOrderId], $idempotencyKey);
    }

    /**
     * Compares your own list of orders and refunds with what was reported, in the background.
     *
     * @param string $orders CSV, or JSON lines as `application/x-ndjson`; up to 5 MiB
     * @throws PartnerException
     */
    public function reconcile(string $orders, string $contentType = 'text/csv'): Answer
    {
        return $this->send('POST', 'reconciliations', $orders, null, $contentType);
    }

    /** A reconciliation: its counts once it is done, and the first of its differences. @throws PartnerException */
    public function reconciliation(string $reconciliationId): Answer
    {
        return $this->send('GET', 'reconciliations/' . rawurlencode($reconciliationId), '', null);
    }

    /** A page of the differences of a reconciliation, from 1. @throws PartnerException */
    public function differences(string $reconciliationId, int $page): Answer
    {
        return $this->send('GET', 'reconciliations/' . rawurlencode($reconciliationId) . "/pages/$page", '', null);
    }

    /** A redemption as it is now; a repeated capture returns it as it was then. @throws PartnerException */
    public function redemption(string $redemptionId): Answer
    {
        return $this->send('GET', 'redemptions/' . rawurlencode($redemptionId), '', null);
    }

    /** What proves the ledger entries of a LIVE reward to anyone with the service's public keys. @throws PartnerException */
    public function receipt(string $rewardId): Answer
    {
        return $this->send('GET', 'rewards/' . rawurlencode($rewardId) . '/receipt', '', null);
    }

    /**
     * Makes TEST fail on purpose for this TEST key: what fails is worth sending again.
     *
     * @param int|null $minutes 1 to 60; 10 by default
     * @throws PartnerException
     */
    public function startRehearsal(?int $minutes = null): Answer
    {
        return $this->ask('test/rehearsals', ['minutes' => $minutes]);
    }

    /** A rehearsal of this key, and how the integration did. @throws PartnerException */
    public function rehearsal(string $rehearsalId): Answer
    {
        return $this->send('GET', 'test/rehearsals/' . rawurlencode($rehearsalId), '', null);
    }

    /** The published plan versions. @throws PartnerException */
    public function plans(): Answer
    {
        return $this->send('GET', 'plans', '', null);
    }

    /** The current billing period's points, with a projection and the newest events. @throws PartnerException */
    public function usage(): Answer
    {
        return $this->send('GET', 'usage', '', null);
    }

    /** The subscription, the wallet and the newest invoices. @throws PartnerException */
    public function billing(): Answer
    {
        return $this->send('GET', 'billing', '', null);
    }

    /**
     * @param array<string, mixed> $fields
     * @param list<string> $ids
     */
    private function post(string $resource, array $fields, array $ids, ?string $idempotencyKey): Answer
    {
        $key = $idempotencyKey === null
            ? IdempotencyKey::of(...$ids)
            : IdempotencyKey::requireSendable($idempotencyKey);
        return $this->send('POST', $resource, self::json($fields), $key);
    }

    /**
     * A question that stores nothing, and has no idempotency key.
     *
     * @param array<string, mixed> $fields
     */
    private function ask(string $resource, array $fields): Answer
    {
        return $this->send('POST', $resource, self::json($fields), null);
    }

    /**
     * A contact is never in a URL: the list of a customer is a POST.
     *
     * @param array<string, ?string> $customer
     * @param array<string, string|int|null> $query
     */
    private function listed(string $resource, array $customer, array $query): Answer
    {
        $contact = self::known($customer);
        if ($contact !== []) {
            return $this->ask("$resource/search", ['customer' => $contact, ...$query]);
        }
        return $this->send('GET', $resource, '', null, query: http_build_query($query));
    }

    private function end(string $redemptionId, string $action, ?string $idempotencyKey): Answer
    {
        $resource = 'redemptions/' . rawurlencode($redemptionId) . "/$action";
        return $this->post($resource, [], [$action, $redemptionId], $idempotencyKey);
    }

    /**
     * Serialized once: with other bytes, a retry would be an idempotency conflict.
     *
     * @param array<string, mixed> $fields
     */
    private static function json(array $fields): string
    {
        $flags = JSON_UNESCAPED_UNICODE | JSON_UNESCAPED_SLASHES | JSON_THROW_ON_ERROR;
        return json_encode((object) self::known($fields), $flags);
    }

    private function send(
        string $method,
        string $resource,
        string $body,
        ?string $idempotencyKey,
        string $contentType = 'application/json',
        string $query = '',
    ): Answer {
        $url = $this->path . $resource . ($query === '' ? '' : "?$query");
        for ($attempt = 1;; $attempt++) {
            $this->waitForPermission();
            $startedAt = microtime(true);
            $response = null;
            try {
                $response = $this->attempt($method, $url, $body, $idempotencyKey, $contentType);
                $answer = $this->read($response, $idempotencyKey);
                $this->report($method, $url, $attempt, $startedAt, $response, $idempotencyKey, null, null);
                return $answer;
            } catch (PartnerException $error) {
                $delay = Retry::delay($error, $attempt, ($this->random)(), $this->maxRetryAfter);
                if ($attempt >= $this->maxAttempts) {
                    $delay = null;
                }
                $this->report($method, $url, $attempt, $startedAt, $response, $idempotencyKey, $error, $delay);
                if ($delay === null) {
                    throw $error;
                }
                ($this->sleep)($delay);
            }
        }
    }

    private function report(
        string $method,
        string $url,
        int $attempt,
        float $startedAt,
        ?Response $response,
        ?string $idempotencyKey,
        ?PartnerException $error,
        ?float $retryIn,
    ): void {
        if ($this->onAttempt === null) {
            return;
        }
        $duration = microtime(true) - $startedAt;
        $requestId = $response === null ? null : ($response->header('X-Request-Id') ?: null);
        $status = $response?->status;
        try {
            ($this->onAttempt)(new AttemptReport(
                $method,
                $url,
                $attempt,
                $duration,
                $status,
                $requestId,
                $idempotencyKey,
                $error,
                $retryIn,
            ));
        } catch (\Throwable) {
            // A logger that fails must not fail a purchase.
        }
    }

    private function attempt(
        string $method,
        string $url,
        string $body,
        ?string $idempotencyKey,
        string $contentType,
    ): Response {
        // The query of a list is not signed.
        [$pathname] = explode('?', $url, 2);
        $timestamp = (string) (int) ($this->now)();
        $headers = [
            "X-$this->brand-Key" => $this->key,
            "X-$this->brand-Timestamp" => $timestamp,
            "X-$this->brand-Signature" => Signing::sign($this->secret, $method, $pathname, $timestamp, $body),
        ];
        if ($body !== '') {
            $headers['Content-Type'] = $contentType;
        }
        if ($idempotencyKey !== null) {
            $headers['Idempotency-Key'] = $idempotencyKey;
        }
        $patience = $this->timeout + intdiv(strlen($body), 32_000);
        try {
            $response = $this->transport->send($method, $this->origin . $url, $headers, $body, $patience);
        } catch (\RuntimeException $error) {
            $message = "$method $this->origin$url got no response: {$error->getMessage()}";
            throw new ConnectionException($message, $idempotencyKey, $error);
        }
        $rateLimit = RateLimit::of($response);
        if ($rateLimit !== null) {
            $wait = $rateLimit->remaining > 0 ? 0 : $rateLimit->resetSeconds;
            $this->gate->openAt = ($this->now)() + $wait;
        }
        return $response;
    }

    private function read(Response $response, ?string $idempotencyKey): Answer
    {
        $status = $response->status;
        $body = json_decode($response->body, true);
        $isWhole = json_last_error() === JSON_ERROR_NONE;
        $rateLimit = RateLimit::of($response);
        $requestId = $response->header('X-Request-Id') ?: null;
        $isSuccess = $status >= 200 && $status < 300;
        if ($isSuccess && is_array($body) && ($body['success'] ?? null) === true) {
            $replayed = $response->header('Idempotent-Replayed') === 'true';
            /** @var array<string, mixed> $body */
            return new Answer($body, $replayed, $requestId, $rateLimit);
        }
        if ($isSuccess && !$isWhole && preg_match('#^application/json\b#i', $response->header('Content-Type')) === 1) {
            throw new ConnectionException("HTTP $status broke off in the middle of its JSON", $idempotencyKey);
        }
        $error = is_array($body) && is_array($body['error'] ?? null) ? $body['error'] : [];
        $code = $error['code'] ?? null;
        $message = $error['message'] ?? null;
        if (!is_string($code) || !is_string($message)) {
            $code = 'UNEXPECTED_RESPONSE';
            $message = "HTTP $status without the service's JSON; check the base URL and what is in between";
        }
        $now = ($this->now)();
        if ($code === 'TIMESTAMP_OUT_OF_RANGE') {
            $message .= " (this machine's clock says " . gmdate('Y-m-d\TH:i:s\Z', (int) $now) . ')';
        }
        $retryAfter = Retry::readAfter($response->header('Retry-After'), $now);
        $kind = ApiException::kindOf($status, $code);
        throw new $kind($message, $status, $code, $requestId, $retryAfter, $rateLimit, $idempotencyKey);
    }

    private function waitForPermission(): void
    {
        $wait = $this->gate->openAt - ($this->now)();
        if ($this->waitForRateLimit && $wait > 0) {
            ($this->sleep)($wait);
        }
    }

    /**
     * @param array<string, mixed> $fields
     * @return array<string, mixed>
     */
    private static function known(array $fields): array
    {
        return array_filter($fields, static fn (mixed $value): bool => $value !== null);
    }

    /**
     * Outside strict types, PHP cuts a float to an integer: `8.2 * 100`, which is 819.9999999999999, to 819.
     *
     * @throws \InvalidArgumentException for what is further from a whole number than such arithmetic leaves it
     */
    private static function whole(string $name, int|float|null $amount): ?int
    {
        if (!is_float($amount)) {
            return $amount;
        }
        $whole = round($amount);
        if (!is_finite($amount) || abs($whole) > 2 ** 53 || abs($amount - $whole) > 1e-6) {
            throw new \InvalidArgumentException("$name must be a whole number, not $amount");
        }
        return (int) $whole;
    }

    private static function iso(\DateTimeInterface|string|null $at): ?string
    {
        return $at instanceof \DateTimeInterface ? $at->format(\DateTimeInterface::RFC3339_EXTENDED) : $at;
    }
}
