<?php

declare(strict_types=1);

namespace PartnerEvents;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\ResponseInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * A partner's client of the service. Every method signs and sends a request, retries it if that can help (network
 * errors, 408, 429, 500, 502, 503, 504), and throws ApiException for a refusal, NetworkException without a response.
 */
final class Client
{
    private readonly string $origin;
    private readonly string $path;
    private readonly \Closure $now;
    private readonly \Closure $random;
    private readonly \Closure $sleep;
    /** When the rate limit allows the next request; in the past if it allows one now. */
    private float $openAt = 0.0;

    /**
     * @param string $baseUrl the service's URL, such as `https://rewards.example.com`
     * @param string $key the API key; its mode, TEST or LIVE, is the client's mode
     * @param string $secret the signing secret, exactly as shown
     * @param ClientInterface $http configured with a timeout, and not to follow redirects
     * @param string $brand the brand word in the header names
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
        private readonly ClientInterface $http,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
        private readonly string $brand = 'Partner',
        private readonly int $maxAttempts = 7,
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
        $this->origin = $parts[1];
        // The path of the base URL is kept and signed.
        $this->path = rtrim($parts[2], '/') . '/api/v1/partner/';
        $this->now = $now ?? static fn (): float => microtime(true);
        $this->random = $random ?? static fn (): float => mt_rand() / (mt_getrandmax() + 1);
        $this->sleep = $sleep ?? static fn (float $seconds) => usleep((int) ($seconds * 1_000_000));
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
        string $externalOrderId,
        int|float $subtotalCents,
        ?string $email = null,
        ?string $phone = null,
        ?string $currency = null,
        \DateTimeInterface|string|null $occurredAt = null,
        ?array $metadata = null,
        ?string $idempotencyKey = null,
    ): Answer {
        return $this->post('purchases', [
            'externalOrderId' => $externalOrderId,
            'customer' => (object) self::known(['email' => $email, 'phone' => $phone]),
            'order' => self::known([
                'subtotalCents' => self::whole('subtotalCents', $subtotalCents),
                'currency' => $currency,
            ]),
            'occurredAt' => self::iso($occurredAt),
            'metadata' => $metadata === null ? null : (object) $metadata,
        ], ['purchase', $externalOrderId], $idempotencyKey);
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
        string $externalOrderId,
        ?string $externalRefundId = null,
        ?string $reason = null,
        \DateTimeInterface|string|null $occurredAt = null,
        ?array $metadata = null,
        ?string $idempotencyKey = null,
        int|float|null $amountCents = null,
    ): Answer {
        return $this->post('refunds', [
            'externalOrderId' => $externalOrderId,
            'externalRefundId' => $externalRefundId,
            'amountCents' => self::whole('amountCents', $amountCents),
            'reason' => $reason,
            'occurredAt' => self::iso($occurredAt),
            'metadata' => $metadata === null ? null : (object) $metadata,
        ], ['refund', $externalOrderId, ...($externalRefundId === null ? [] : [$externalRefundId])], $idempotencyKey);
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
        string $externalRedemptionId,
        ?string $email = null,
        ?string $phone = null,
        int|float|null $points = null,
        int|float|null $amountCents = null,
        ?string $externalOrderId = null,
        ?bool $hold = null,
        ?string $idempotencyKey = null,
    ): Answer {
        return $this->post('redemptions', [
            'externalRedemptionId' => $externalRedemptionId,
            'customer' => (object) self::known(['email' => $email, 'phone' => $phone]),
            'points' => self::whole('points', $points),
            'amountCents' => self::whole('amountCents', $amountCents),
            'externalOrderId' => $externalOrderId,
            'hold' => $hold,
        ], ['redemption', $externalRedemptionId], $idempotencyKey);
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

    /** Gives spent points back to the customer: the order that they paid for is refunded. @throws PartnerException */
    public function reverse(string $redemptionId, ?string $idempotencyKey = null): Answer
    {
        return $this->end($redemptionId, 'reverse', $idempotencyKey);
    }

    /** The current state of a purchase's reward. @throws PartnerException */
    public function reward(string $rewardId): Answer
    {
        return $this->send('GET', 'rewards/' . rawurlencode($rewardId), '', null);
    }

    /** The reward and the refunds of an order, by your own id. @throws PartnerException */
    public function order(string $externalOrderId): Answer
    {
        return $this->send('GET', 'orders/' . rawurlencode($externalOrderId), '', null);
    }

    /**
     * Ends the hold of an order, since nothing of it will come back; a repeat returns the order as it is.
     *
     * @throws PartnerException
     */
    public function releaseOrder(string $externalOrderId, ?string $idempotencyKey = null): Answer
    {
        $resource = 'orders/' . rawurlencode($externalOrderId) . '/release';
        return $this->post($resource, [], ['releaseOrder', $externalOrderId], $idempotencyKey);
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
    ): Answer {
        for ($attempt = 1;; $attempt++) {
            try {
                $this->waitForPermission();
                return $this->attempt($method, $resource, $body, $idempotencyKey, $contentType);
            } catch (PartnerException $error) {
                $delay = Retry::delay($error, $attempt, ($this->random)());
                if ($delay === null || $attempt >= $this->maxAttempts) {
                    throw $error;
                }
                ($this->sleep)($delay);
            }
        }
    }

    private function attempt(
        string $method,
        string $resource,
        string $body,
        ?string $idempotencyKey,
        string $contentType,
    ): Answer {
        $pathname = $this->path . $resource;
        $timestamp = (string) (int) ($this->now)();
        $request = $this->requests->createRequest($method, $this->origin . $pathname)
            ->withHeader("X-$this->brand-Key", $this->key)
            ->withHeader("X-$this->brand-Timestamp", $timestamp)
            ->withHeader(
                "X-$this->brand-Signature",
                Signing::sign($this->secret, $method, $pathname, $timestamp, $body),
            );
        if ($body !== '') {
            $request = $request->withHeader('Content-Type', $contentType)
                ->withBody($this->streams->createStream($body));
        }
        if ($idempotencyKey !== null) {
            $request = $request->withHeader('Idempotency-Key', $idempotencyKey);
        }
        try {
            $response = $this->http->sendRequest($request);
            $text = (string) $response->getBody();
        } catch (ClientExceptionInterface | \RuntimeException $error) {
            $message = "$method $this->origin$pathname got no response: {$error->getMessage()}";
            throw new NetworkException($message, $idempotencyKey, $error);
        }
        $rateLimit = RateLimit::of($response);
        if ($rateLimit !== null) {
            $wait = $rateLimit->remaining > 0 ? 0 : $rateLimit->resetSeconds;
            $this->openAt = ($this->now)() + $wait;
        }
        return $this->read($response, $text, $rateLimit, $idempotencyKey);
    }

    private function read(
        ResponseInterface $response,
        string $text,
        ?RateLimit $rateLimit,
        ?string $idempotencyKey,
    ): Answer {
        $status = $response->getStatusCode();
        $body = json_decode($text, true);
        $requestId = $response->getHeaderLine('X-Request-Id') ?: null;
        if ($status >= 200 && $status < 300 && is_array($body) && ($body['success'] ?? null) === true) {
            $replayed = $response->getHeaderLine('Idempotent-Replayed') === 'true';
            return new Answer($body, $replayed, $requestId, $rateLimit);
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
        $retryAfter = Retry::readAfter($response->getHeaderLine('Retry-After'), $now);
        throw new ApiException($message, $status, $code, $requestId, $retryAfter, $rateLimit, $idempotencyKey);
    }

    private function waitForPermission(): void
    {
        $wait = $this->openAt - ($this->now)();
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
