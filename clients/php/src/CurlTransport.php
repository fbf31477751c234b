<?php

declare(strict_types=1);

namespace PartnerEvents;

/**
 * On the curl extension, for clients without a PSR-18 client.
 *
 * @internal
 */
final class CurlTransport implements Transport
{
    private ?\CurlHandle $handle = null;

    public function __construct()
    {
        if (!extension_loaded('curl')) {
            throw new \InvalidArgumentException('give a PSR-18 client as http, or install the curl extension');
        }
    }

    public function send(string $method, string $url, array $headers, string $body, float $timeout): Response
    {
        $received = [];
        $lines = ['Expect:'];
        foreach ($headers as $name => $value) {
            $lines[] = "$name: $value";
        }
        // Reused, so that the connection is.
        $handle = $this->handle ??= self::open();
        curl_reset($handle);
        curl_setopt_array($handle, [
            CURLOPT_URL => $url,
            CURLOPT_CUSTOMREQUEST => $method,
            CURLOPT_HTTPHEADER => $lines,
            CURLOPT_RETURNTRANSFER => true,
            CURLOPT_FOLLOWLOCATION => false,
            CURLOPT_PROTOCOLS => CURLPROTO_HTTP | CURLPROTO_HTTPS,
            CURLOPT_NOSIGNAL => true,
            CURLOPT_TIMEOUT_MS => max(1, (int) round($timeout * 1000)),
            CURLOPT_HEADERFUNCTION => static function (\CurlHandle $_, string $line) use (&$received): int {
                $parts = explode(':', $line, 2);
                if (isset($parts[1])) {
                    $received[strtolower(trim($parts[0]))] = trim($parts[1]);
                }
                return strlen($line);
            },
        ]);
        if ($body !== '') {
            curl_setopt($handle, CURLOPT_POSTFIELDS, $body);
        }
        $text = curl_exec($handle);
        if (!is_string($text)) {
            throw new \RuntimeException(curl_error($handle));
        }
        return new Response(curl_getinfo($handle, CURLINFO_RESPONSE_CODE), $received, $text);
    }

    private static function open(): \CurlHandle
    {
        $handle = curl_init();
        if ($handle === false) {
            throw new \RuntimeException('curl cannot be started');
        }
        return $handle;
    }
}
