<?php
define('DB_NAME', 'shop');
define('DB_USER', 'shop');
define('DB_PASSWORD', 'shop');
define('DB_HOST', 'localhost:' . getenv('SHOP_SOCKET'));
define('DB_CHARSET', 'utf8mb4');
define('DB_COLLATE', '');
$table_prefix = 'wp_';
define('WP_HOME', 'http://127.0.0.1:' . getenv('SHOP_PORT'));
define('WP_SITEURL', WP_HOME);
define('DISABLE_WP_CRON', true);
define('WP_HTTP_BLOCK_EXTERNAL', true);
define('WP_ACCESSIBLE_HOSTS', '127.0.0.1');
// As behind a proxy that ends TLS: keys are admitted over HTTPS only.
if (str_starts_with($_SERVER['REQUEST_URI'] ?? '', '/wp-json/')) {
    $_SERVER['HTTPS'] = 'on';
}
defined('ABSPATH') || define('ABSPATH', __DIR__ . '/');
require_once ABSPATH . 'wp-settings.php';
