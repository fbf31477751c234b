<?php
if ($argv[1] === 'wordpress') {
    define('WP_INSTALLING', true);
    require __DIR__ . '/wp-load.php';
    require ABSPATH . 'wp-admin/includes/upgrade.php';
    wp_install('Teapots', 'owner', 'owner@shop.example', false, '', wp_generate_password());
    update_option('permalink_structure', '/%postname%/');
    update_option('template', 'none');
    update_option('stylesheet', 'none');
    update_option('timezone_string', 'America/New_York');
    update_option('active_plugins', ['woocommerce/woocommerce.php']);
} else {
    require __DIR__ . '/wp-load.php';
    WC_Install::install();
    ActionScheduler_DataController::mark_migration_complete();
    flush_rewrite_rules();
}
