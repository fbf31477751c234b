// Reports a purchase, signed, with nothing but Java 17 itself.
//   PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… java Purchase.java A1
import static java.nio.charset.StandardCharsets.UTF_8;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

public class Purchase {
  /** The signature header's value. The secret is used as it was shown: it is not decoded. */
  static String sign(String secret, String method, String path, String timestamp, byte[] body)
      throws GeneralSecurityException {
    HexFormat hex = HexFormat.of();
    String hash = hex.formatHex(MessageDigest.getInstance("SHA-256").digest(body));
    // Five lines, and no line break at the end.
    String text = String.join("\n", "v1", method.toUpperCase(Locale.ROOT), path, timestamp, hash);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(secret.getBytes(UTF_8), "HmacSHA256"));
    return "sha256=" + hex.formatHex(mac.doFinal(text.getBytes(UTF_8)));
  }

  public static void main(String[] args) throws Exception {
    String order = args[0];
    String path = "/api/v1/partner/purchases";
    // Written once: the bytes that are signed are the bytes that are sent.
    byte[] body =
        """
        {"externalOrderId":"%s","customer":{"email":"ann@example.com"},"order":{"subtotalCents":4990}}"""
            .formatted(order)
            .getBytes(UTF_8);
    String timestamp = String.valueOf(Instant.now().getEpochSecond());
    String signature = sign(System.getenv("PARTNER_SECRET"), "POST", path, timestamp, body);
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(System.getenv("PARTNER_URL") + path))
            .timeout(Duration.ofSeconds(10))
            .header("Content-Type", "application/json")
            // The same for every retry of this order, so that none of them counts twice.
            .header("Idempotency-Key", "purchase:" + order)
            .header("X-Partner-Key", System.getenv("PARTNER_KEY"))
            .header("X-Partner-Timestamp", timestamp)
            .header("X-Partner-Signature", signature)
            .POST(HttpRequest.BodyPublishers.ofByteArray(body))
            .build();
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    System.out.println(response.body());
    if (response.statusCode() != 201) System.exit(1);
  }
}
