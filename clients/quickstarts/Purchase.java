// Reports purchases and refunds, signed, using only Java 17.
//   export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
//   java Purchase.java purchase A1; java Purchase.java refund A1; java Purchase.java usage
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Purchase {
  /** The signature header's value. The secret is used exactly as shown; it is not decoded. */
  static String sign(String secret, String method, String path, String timestamp, byte[] body)
      throws GeneralSecurityException {
    HexFormat hex = HexFormat.of();
    String hash = hex.formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    // Five lines, without a line break at the end.
    String text = String.join("\n", "v1", method.toUpperCase(Locale.ROOT), path, timestamp, hash);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    return "sha256=" + hex.formatHex(mac.doFinal(text.getBytes(UTF_8)));
  }

  /** Sends until a response arrives that a retry would not change; returns the exit code. */
  static int send(String method, String path, String key, String json) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    // Serialized once: every attempt signs and sends exactly these bytes.
    byte[] body = json.getBytes(UTF_8);
    String failure = "";
    for (int attempt = 0; attempt < 5; attempt++) {
      // Every attempt has a new signature, because the time is signed too.
      String timestamp = String.valueOf(Instant.now().getEpochSecond());
      var request =
          HttpRequest.newBuilder(URI.create(System.getenv("PARTNER_URL") + path))
              .timeout(Duration.ofSeconds(10))
              .header("X-Partner-Key", System.getenv("PARTNER_KEY"))
              .header("X-Partner-Timestamp", timestamp)
              .header(
                  "X-Partner-Signature",
                  sign(System.getenv("PARTNER_SECRET"), method, path, timestamp, body))
              .method(method, body.length > 0 ? BodyPublishers.ofByteArray(body) : BodyPublishers.noBody());
      if (body.length > 0) {
        // The same key for every retry, so that none counts twice.
        request.header("Content-Type", "application/json").header("Idempotency-Key", key);
      }
      long waitSeconds = 1L << attempt;
      try {
        var response = client.send(request.build(), BodyHandlers.ofString());
        int status = response.statusCode();
        if (!List.of(408, 429, 500, 502, 503, 504).contains(status)) {
          // For a refusal: the code of the error, and what to do.
          System.out.println(response.body());
          return status < 300 ? 0 : 1;
        }
        failure = response.body();
        waitSeconds = Math.max(waitSeconds, response.headers().firstValueAsLong("Retry-After").orElse(0));
      } catch (IOException outage) {
        failure = outage.toString();
      }
      if (attempt < 4) Thread.sleep(waitSeconds * 1000);
    }
    System.err.println("No success: " + failure + ". Try again later, with the same key.");
    return 1;
  }

  public static void main(String[] args) throws Exception {
    String what = args.length > 0 ? args[0] : "";
    String order = args.length > 1 ? args[1] : "";
    if (what.equals("purchase") && !order.isEmpty()) {
      String fields =
          """
          {"externalOrderId":"%s","customer":{"email":"ann@example.com"},"order":{"subtotalCents":4990}}""";
      System.exit(send("POST", "/api/v1/partner/purchases", "purchase:" + order, fields.formatted(order)));
    }
    if (what.equals("part") && !order.isEmpty()) {
      // One item came back: each part has an id of its own.
      String fields = """
          {"externalOrderId":"%s","externalRefundId":"%s-1","amountCents":1200}""";
      System.exit(send("POST", "/api/v1/partner/refunds", "refund:" + order + ":" + order + "-1", fields.formatted(order, order)));
    }
    if (what.equals("refund") && !order.isEmpty()) {
      String fields = "{\"externalOrderId\":\"%s\"}".formatted(order);
      System.exit(send("POST", "/api/v1/partner/refunds", "refund:" + order, fields));
    }
    if (what.equals("usage")) System.exit(send("GET", "/api/v1/partner/usage", "", ""));
    System.err.println("Usage: purchase <order> | part <order> | refund <order> | usage");
    System.exit(2);
  }
}
