<?php
// Receives webhooks, with PHP and the client's package.
//   export WEBHOOK_SECRET=whsec_…
//   php -S 0.0.0.0:8080 receiver.php
declare(strict_types=1);

use PartnerEvents\{Webhook, WebhookException};

require __DIR__ . '/vendor/autoload.php';

try {
    // The bytes as they arrived: what was parsed and written again has another signature.
    $body = (string) file_get_contents('php://input', length: 64 * 1024);
    $event = Webhook::verify($body, getallheaders(), (string) getenv('WEBHOOK_SECRET'));
} catch (WebhookException $error) {
    http_response_code(400);
    exit($error->errorCode);
}
$id = $_SERVER['HTTP_WEBHOOK_ID'];
// It may come twice: the second time there is nothing left to do. In your shop this is a table with a unique
// index, written in one transaction with what the event changes.
$seen = __DIR__ . '/seen';
is_dir($seen) || mkdir($seen);
if (@fopen($seen . '/' . hash('sha256', $id), 'x') !== false) {
    // Only note it here, and work on it after the answer, which is waited for only for seconds.
    file_put_contents('php://stdout', "received {$event['type']} $id\n");
}
http_response_code(204);
