<?php

declare(strict_types=1);

namespace PartnerEvents;

/** Webhooks according to Standard Webhooks 1.0. */
final class Webhook
{
    private const PREFIX = 'whsec_';

    /**
     * Verifies that the service sent a webhook, and returns its event.
     *
     * @param string $rawBody the exact bytes that arrived (`file_get_contents('php://input')`), not what was parsed
     *   of them
     * @param array<string, string|string[]> $headers the request's (`getallheaders()`, or those of PSR-7), their names
     *   in any case
     * @param string|string[] $secret the endpoint's, `whsec_…`; several while one is being replaced, of which any
     *   will do
     * @param int $toleranceSeconds the maximum difference between the webhook's time and this machine's, in seconds
     * @param int|null $now seconds since the Unix epoch
     * @return WebhookEvent<array<string, mixed>>
     * @throws WebhookException
     */
    public static function verify(
        string $rawBody,
        array $headers,
        #[\SensitiveParameter] string|array $secret,
        int $toleranceSeconds = 300,
        ?int $now = null,
    ): WebhookEvent {
        $keys = array_map(self::key(...), (array) $secret);
        $given = array_change_key_case($headers);
        $id = self::header($given, 'webhook-id');
        $timestamp = self::header($given, 'webhook-timestamp');
        $signatures = explode(' ', self::header($given, 'webhook-signature'));
        self::checkTimestamp($timestamp, $toleranceSeconds, $now ?? time());
        $isSigned = false;
        foreach ($keys as $key) {
            $expected = self::signature($key, "$id.$timestamp.$rawBody");
            foreach ($signatures as $signature) {
                $isSigned = hash_equals($expected, $signature) || $isSigned;
            }
        }
        if (!$isSigned) {
            $message = 'webhook-signature does not match. Check the secret of this endpoint, and that the body is '
                . 'the raw bytes that arrived.';
            throw new WebhookException('INVALID_SIGNATURE', $message);
        }
        $event = json_decode($rawBody, false);
        if (!is_object($event)) {
            throw new WebhookException('INVALID_BODY', 'The body is not a JSON object.');
        }
        // Not every autoloader reads the class map.
        require_once __DIR__ . '/events.php';
        /** @var array<string, mixed> $raw */
        $raw = json_decode($rawBody, true);
        return WebhookEvent::of($raw);
    }

    /**
     * The headers of a webhook as the service signs it, for tests of a receiver.
     *
     * @param int $at seconds since the Unix epoch
     * @return array{webhook-id: string, webhook-timestamp: string, webhook-signature: string}
     * @throws WebhookException INVALID_SECRET
     */
    public static function sign(
        string $rawBody,
        string $id,
        #[\SensitiveParameter] string $secret,
        int $at,
    ): array {
        return [
            'webhook-id' => $id,
            'webhook-timestamp' => (string) $at,
            'webhook-signature' => self::signature(self::key($secret), "$id.$at.$rawBody"),
        ];
    }

    private static function signature(#[\SensitiveParameter] string $key, string $signed): string
    {
        return 'v1,' . base64_encode(hash_hmac('sha256', $signed, $key, true));
    }

    private static function key(#[\SensitiveParameter] string $secret): string
    {
        $encoded = str_starts_with($secret, self::PREFIX) ? substr($secret, strlen(self::PREFIX)) : '';
        $key = base64_decode($encoded, true);
        if ($key === false || $key === '') {
            $message = 'A webhook secret is ' . self::PREFIX . " and base64, as the endpoint's page showed it.";
            throw new WebhookException('INVALID_SECRET', $message);
        }
        return $key;
    }

    /** @param array<string, string|string[]> $headers */
    private static function header(array $headers, string $name): string
    {
        $value = $headers[$name] ?? '';
        $text = is_array($value) ? (string) reset($value) : $value;
        if ($text === '') {
            throw new WebhookException('MISSING_HEADER', "The request has no $name header.");
        }
        return $text;
    }

    private static function checkTimestamp(string $timestamp, int $toleranceSeconds, int $now): void
    {
        if (preg_match('/^[0-9]{1,12}$/D', $timestamp) && abs($now - (int) $timestamp) <= $toleranceSeconds) {
            return;
        }
        $message = "webhook-timestamp must be within $toleranceSeconds s of this machine's clock, which reads $now.";
        throw new WebhookException('TIMESTAMP_OUT_OF_RANGE', $message);
    }
}
