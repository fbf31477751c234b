<?php
// Webhooks to this machine, on any port.
add_filter('http_request_host_is_external', '__return_true');
add_filter('http_allowed_safe_ports', fn($ports, $host, $url) => [...$ports, parse_url($url, PHP_URL_PORT)], 10, 3);
