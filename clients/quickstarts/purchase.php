<?php
// Reports purchases and refunds, signed, using only PHP.
//   export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
//   php purchase.php purchase A1; php purchase.php refund A1; php purchase.php usage
declare(strict_types=1);

/** The signature header's value. The secret is used exactly as shown; it is not decoded. */
function sign(string $secret, string $method, string $path, string $timestamp, string $body): string
{
    // Five lines, without a line break at the end. "\n" is one only in double quotes.
    $text = implode("\n", ['v1', strtoupper($method), $path, $timestamp, hash('sha256', $body)]);
    return 'sha256=' . hash_hmac('sha256', $text, $secret);
}

function send(string $method, string $path, string $key = '', ?array $fields = null): int
{
    // Serialized once: every attempt signs and sends exactly these bytes.
    $body = $fields === null ? '' : json_encode($fields, JSON_THROW_ON_ERROR);
    for ($attempt = 0; $attempt < 5; $attempt++) {
        if ($attempt > 0) {
            sleep($wait);
        }
        // Every attempt has a new signature, because the time is signed too.
        $timestamp = (string) time();
        $headers = [
            'X-Partner-Key: ' . getenv('PARTNER_KEY'),
            'X-Partner-Timestamp: ' . $timestamp,
            'X-Partner-Signature: ' . sign((string) getenv('PARTNER_SECRET'), $method, $path, $timestamp, $body),
        ];
        if ($body !== '') {
            // The same key for every retry, so that none counts twice.
            array_push($headers, 'Content-Type: application/json', 'Idempotency-Key: ' . $key);
        }
        $http = ['method' => $method, 'header' => $headers, 'content' => $body];
        $context = stream_context_create(['http' => $http + ['timeout' => 10, 'ignore_errors' => true]]);
        $http_response_header = [];
        $answer = @file_get_contents(getenv('PARTNER_URL') . $path, false, $context);
        // No status: the service is unreachable. The request may have been carried out anyway.
        $status = (int) (explode(' ', $http_response_header[0] ?? '')[1] ?? 0);
        if ($answer !== false && !in_array($status, [0, 408, 429, 500, 502, 503, 504], true)) {
            echo $answer; // For a refusal: the code of the error, and what to do.
            return $status < 300 ? 0 : 1;
        }
        preg_match('/^Retry-After: (\d+)/im', implode("\n", $http_response_header), $asked);
        $wait = max(2 ** $attempt, (int) ($asked[1] ?? 0));
    }
    $last = $answer ?: (error_get_last()['message'] ?? 'no response');
    fwrite(STDERR, "No success: $last. Try again later, with the same key.\n");
    return 1;
}

function main(string $what = '', string $order = ''): int
{
    if ($what === 'purchase' && $order !== '') {
        $customer = ['email' => 'ann@example.com'];
        $fields = ['externalOrderId' => $order, 'customer' => $customer, 'order' => ['subtotalCents' => 4990]];
        return send('POST', '/api/v1/partner/purchases', "purchase:$order", $fields);
    }
    if ($what === 'part' && $order !== '') {
        // One item came back: each part has an id of its own.
        $fields = ['externalOrderId' => $order, 'externalRefundId' => "$order-1", 'amountCents' => 1200];
        return send('POST', '/api/v1/partner/refunds', "refund:$order:$order-1", $fields);
    }
    if ($what === 'refund' && $order !== '') {
        return send('POST', '/api/v1/partner/refunds', "refund:$order", ['externalOrderId' => $order]);
    }
    if ($what === 'usage') {
        return send('GET', '/api/v1/partner/usage');
    }
    fwrite(STDERR, "Usage: purchase <order> | part <order> | refund <order> | usage\n");
    return 2;
}

if (realpath($_SERVER['SCRIPT_FILENAME']) === __FILE__) {
    exit(main(...array_slice($argv, 1, 2)));
}
