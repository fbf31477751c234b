import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Receives webhooks, using only Java 17.
 *   export WEBHOOK_SECRET=whsec_… PORT=8080
 *   java Receiver.java
 */
public class Receiver {
  static final int MAX_BYTES = 64 * 1024;
  static final long TOLERANCE_SECONDS = 300;
  /** In your shop, use a table with a unique index, written in the same transaction as the event's changes. */
  static final Set<String> seen = ConcurrentHashMap.newKeySet();
  /** Your JSON library reads the rest. */
  static final Pattern TYPE = Pattern.compile("\"type\"\\s*:\\s*\"([^\"]*)\"");

  /** Why the webhook is not the service's (Standard Webhooks 1.0); null if it is. */
  static String problem(byte[] body, Headers headers, String secret, long nowSeconds)
      throws GeneralSecurityException {
    if (secret == null || !secret.startsWith("whsec_")) return "INVALID_SECRET";
    byte[] key = Base64.getDecoder().decode(secret.substring("whsec_".length()));
    String id = headers.getFirst("webhook-id");
    String timestamp = headers.getFirst("webhook-timestamp");
    String signatures = headers.getFirst("webhook-signature");
    if (id == null || timestamp == null || signatures == null) return "MISSING_HEADER";
    if (!timestamp.matches("[0-9]{1,12}")
        || Math.abs(nowSeconds - Long.parseLong(timestamp)) > TOLERANCE_SECONDS) {
      return "TIMESTAMP_OUT_OF_RANGE";
    }
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    String expected = "v1," + Base64.getEncoder().encodeToString(mac.doFinal(body));
    for (String signature : signatures.split(" ")) {
      byte[] given = signature.getBytes(StandardCharsets.UTF_8);
      // Constant-time comparison.
      if (MessageDigest.isEqual(given, expected.getBytes(StandardCharsets.UTF_8))) return null;
    }
    return "INVALID_SIGNATURE";
  }

  static void receive(HttpExchange exchange) throws IOException {
    try (exchange) {
      // The bytes as received: re-serialized JSON would have another signature.
      byte[] body = exchange.getRequestBody().readNBytes(MAX_BYTES);
      Headers headers = exchange.getRequestHeaders();
      long now = Instant.now().getEpochSecond();
      String problem = problem(body, headers, System.getenv("WEBHOOK_SECRET"), now);
      if (problem != null) {
        exchange.sendResponseHeaders(400, problem.length());
        exchange.getResponseBody().write(problem.getBytes(StandardCharsets.UTF_8));
        return;
      }
      String id = headers.getFirst("webhook-id");
      // A webhook may arrive twice: ignore the second.
      if (seen.add(id)) {
        Matcher type = TYPE.matcher(new String(body, StandardCharsets.UTF_8));
        // Only store it here, and process it after the response, which must be sent within seconds.
        System.out.println("received " + (type.find() ? type.group(1) : "") + " " + id);
      }
      exchange.sendResponseHeaders(204, -1);
    } catch (GeneralSecurityException error) {
      exchange.sendResponseHeaders(500, -1);
    }
  }

  public static void main(String[] args) throws IOException {
    int port = Integer.parseInt(System.getenv().getOrDefault("PORT", "8080"));
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/", Receiver::receive);
    server.setExecutor(Executors.newFixedThreadPool(8));
    server.start();
    System.out.println("listening on port " + server.getAddress().getPort());
  }
}
