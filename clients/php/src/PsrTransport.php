<?php

declare(strict_types=1);

namespace PartnerEvents;

use Psr\Http\Client\ClientExceptionInterface;
use Psr\Http\Client\ClientInterface;
use Psr\Http\Message\RequestFactoryInterface;
use Psr\Http\Message\StreamFactoryInterface;

/**
 * On a PSR-18 client, which has a timeout of its own.
 *
 * @internal
 */
final class PsrTransport implements Transport
{
    public function __construct(
        private readonly ClientInterface $http,
        private readonly RequestFactoryInterface $requests,
        private readonly StreamFactoryInterface $streams,
    ) {
    }

    public function send(string $method, string $url, array $headers, string $body, float $timeout): Response
    {
        $request = $this->requests->createRequest($method, $url);
        foreach ($headers as $name => $value) {
            $request = $request->withHeader($name, $value);
        }
        if ($body !== '') {
            $request = $request->withBody($this->streams->createStream($body));
        }
        try {
            $response = $this->http->sendRequest($request);
        } catch (ClientExceptionInterface $error) {
            throw new \RuntimeException($error->getMessage(), 0, $error);
        }
        $received = [];
        foreach (array_keys($response->getHeaders()) as $name) {
            $received[strtolower((string) $name)] = $response->getHeaderLine((string) $name);
        }
        return new Response($response->getStatusCode(), $received, (string) $response->getBody());
    }
}
