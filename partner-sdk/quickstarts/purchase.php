<?php
// Reports a purchase, signed, with nothing but PHP itself.
//   PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… php purchase.php A1
declare(strict_types=1);

/** The signature header's value. The secret is used as it was shown: it is not decoded. */
function sign(string $secret, string $method, string $path, string $timestamp, string $body): string
{
    // Five lines, and no line break at the end. "\n" is one only in double quotes.
    $text = implode("\n", ['v1', strtoupper($method), $path, $timestamp, hash('sha256', $body)]);
    return 'sha256=' . hash_hmac('sha256', $text, $secret);
}

function reportPurchase(string $order): int
{
    $path = '/api/v1/partner/purchases';
    // Written once: the bytes that are signed are the bytes that are sent.
    $body = json_encode([
        'externalOrderId' => $order,
        'customer' => ['email' => 'ann@example.com'],
        'order' => ['subtotalCents' => 4990],
    ], JSON_THROW_ON_ERROR);
    $timestamp = (string) time();
    $context = stream_context_create(['http' => [
        'method' => 'POST',
        'header' => [
            'Content-Type: application/json',
            // The same for every retry of this order, so that none of them counts twice.
            'Idempotency-Key: purchase:' . $order,
            'X-Partner-Key: ' . getenv('PARTNER_KEY'),
            'X-Partner-Timestamp: ' . $timestamp,
            'X-Partner-Signature: ' . sign(getenv('PARTNER_SECRET'), 'POST', $path, $timestamp, $body),
        ],
        'content' => $body,
        'timeout' => 10,
        'ignore_errors' => true,
    ]]);
    echo file_get_contents(getenv('PARTNER_URL') . $path, false, $context);
    return str_contains($http_response_header[0], ' 201 ') ? 0 : 1;
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    exit(reportPurchase($argv[1]));
}
