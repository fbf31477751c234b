<?php
/** What the owner and the customers of the shop do: a name, and its input as JSON. The result is printed as JSON. */
require __DIR__ . '/wp-load.php';

function teapot(): WC_Product
{
    $known = get_page_by_path('teapot', OBJECT, 'product');
    if ($known) {
        return wc_get_product($known->ID);
    }
    $product = new WC_Product_Simple();
    $product->set_name('Teapot');
    $product->set_slug('teapot');
    $product->set_regular_price('49.90');
    $product->save();
    return $product;
}

function place(array $in): WC_Order
{
    $order = wc_create_order(['status' => 'pending']);
    $lowered = isset($in['total']) ? ['subtotal' => '49.90', 'total' => $in['total']] : [];
    $order->add_product(teapot(), 1, $lowered);
    if (isset($in['shipping'])) {
        $shipping = new WC_Order_Item_Shipping();
        $shipping->set_method_title('Post');
        $shipping->set_total($in['shipping']);
        $order->add_item($shipping);
    }
    foreach ($in['fees'] ?? [] as $amount) {
        $fee = new WC_Order_Item_Fee();
        $fee->set_name('Fee');
        $fee->set_total($amount);
        $fee->set_tax_status('none');
        $order->add_item($fee);
    }
    $order->set_currency($in['currency'] ?? 'USD');
    $order->set_billing_first_name('Jo');
    $order->set_billing_email($in['email'] ?? 'jo@example.com');
    $order->calculate_totals(false);
    $order->save();
    if (in_array($in['status'], ['processing', 'completed'])) {
        $order->payment_complete();
    }
    $order->update_status($in['status']);
    return $order;
}

$in = json_decode($argv[2] ?? '{}', true);
$out = match ($argv[1]) {
    'webhook' => (function () use ($in) {
        $webhook = new WC_Webhook($in['id'] ?? 0);
        $webhook->set_name('points');
        $webhook->set_topic('order.updated');
        $webhook->set_status('active');
        $webhook->set_user_id(1);
        $webhook->set_api_version(3);
        $webhook->set_secret($in['secret']);
        $webhook->set_delivery_url($in['url']);
        $webhook->save();
        return ['id' => $webhook->get_id()];
    })(),
    'key' => (function () {
        global $wpdb;
        [$key, $secret] = ['ck_' . wc_rand_hash(), 'cs_' . wc_rand_hash()];
        $wpdb->insert($wpdb->prefix . 'woocommerce_api_keys', [
            'user_id' => 1,
            'description' => 'points',
            'permissions' => 'read',
            'consumer_key' => wc_api_hash($key),
            'consumer_secret' => $secret,
            'truncated_key' => substr($key, -7),
        ]);
        return ['key' => $key, 'secret' => $secret];
    })(),
    'order' => ['id' => place($in)->get_id()],
    'status' => ['isChanged' => wc_get_order($in['id'])->update_status($in['status'])],
    'refund' => ['id' => wc_create_refund(['order_id' => $in['id'], 'amount' => $in['amount']])->get_id()],
    // What WordPress does in the background, until nothing is left.
    'jobs' => (function () {
        while (ActionScheduler_QueueRunner::instance()->run() > 0) {
        }
        return [];
    })(),
};
echo json_encode($out);
