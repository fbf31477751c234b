<?php

declare(strict_types=1);

namespace PartnerEvents;

/** Idempotency keys: the same ids give the same key in every client. */
final class IdempotencyKey
{
    private const LONGEST = 255;

    /**
     * Derives the key of a request from what it reports and your ids of it, so that a retry after a crash of your
     * process is a replay, too. It is up to 255 visible ASCII characters.
     *
     * @param string ...$words such as `purchase` and the order id, in UTF-8
     * @throws \InvalidArgumentException for text that is not UTF-8, which no request can hold
     */
    public static function of(string ...$words): string
    {
        $encoded = array_map(static function (string $word): string {
            if (preg_match('//u', $word) !== 1) {
                throw new \InvalidArgumentException('an id is not valid UTF-8, and cannot be sent');
            }
            $plain = ['%21' => '!', '%27' => "'", '%28' => '(', '%29' => ')', '%2A' => '*'];
            return strtr(rawurlencode($word), $plain);
        }, $words);
        // Encoded separately, so that none can contain the colon between them.
        $key = implode(':', $encoded);
        return strlen($key) <= self::LONGEST ? $key : 'sha256:' . hash('sha256', $key);
    }

    /** @throws \InvalidArgumentException at once for a key that the service would refuse */
    public static function requireSendable(string $key): string
    {
        if (preg_match('/^[\x21-\x7e]{1,255}$/D', $key) === 1) {
            return $key;
        }
        throw new \InvalidArgumentException(
            'the idempotency key must be 1 to 255 visible ASCII characters; '
            . 'without one, it is derived from the ids of the request',
        );
    }
}
