<?php
// Receives webhooks, with PHP and the client's package.
//   export WEBHOOK_SECRET=whsec_…
//   php -S 0.0.0.0:8080 receiver.php
declare(strict_types=1);

use PartnerEvents\{Webhook, WebhookException};

require __DIR__ . '/vendor/autoload.php';

try {
    // The bytes as received: re-serialized JSON would have another signature.
    $body = (string) file_get_contents('php://input', length: 64 * 1024);
    $event = Webhook::verify($body, getallheaders(), (string) getenv('WEBHOOK_SECRET'));
} catch (WebhookException $error) {
    http_response_code(400);
    exit($error->errorCode);
}
$id = $_SERVER['HTTP_WEBHOOK_ID'];
// A webhook may arrive twice: ignore the second. In your shop, use a table with a unique
// index, written in the same transaction as the event's changes.
$seen = __DIR__ . '/seen';
is_dir($seen) || mkdir($seen);
if (@fopen($seen . '/' . hash('sha256', $id), 'x') !== false) {
    // Only store it here, and process it after the response, which must be sent within seconds.
    file_put_contents('php://stdout', "received {$event->type} $id\n");
}
http_response_code(204);
