// Reports a purchase, signed, with nothing but Go's standard library.
//
//	PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_… go run purchase.go A1
package main

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// sign gives the signature header's value. The secret is used as it was shown: it is not decoded.
func sign(secret, method, path, timestamp string, body []byte) string {
	hash := sha256.Sum256(body)
	// Five lines, and no line break at the end.
	lines := []string{"v1", strings.ToUpper(method), path, timestamp, hex.EncodeToString(hash[:])}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join(lines, "\n")))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

func reportPurchase(order string) error {
	path := "/api/v1/partner/purchases"
	// Written once: the bytes that are signed are the bytes that are sent.
	body, err := json.Marshal(map[string]any{
		"externalOrderId": order,
		"customer":        map[string]any{"email": "ann@example.com"},
		"order":           map[string]any{"subtotalCents": 4990},
	})
	if err != nil {
		return err
	}
	request, err := http.NewRequest("POST", os.Getenv("PARTNER_URL")+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("Content-Type", "application/json")
	// The same for every retry of this order, so that none of them counts twice.
	request.Header.Set("Idempotency-Key", "purchase:"+order)
	request.Header.Set("X-Partner-Key", os.Getenv("PARTNER_KEY"))
	request.Header.Set("X-Partner-Timestamp", timestamp)
	request.Header.Set("X-Partner-Signature", sign(os.Getenv("PARTNER_SECRET"), "POST", path, timestamp, body))
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(os.Stdout, response.Body); err != nil {
		return err
	}
	if response.StatusCode != http.StatusCreated {
		return fmt.Errorf("refused: %s", response.Status)
	}
	return nil
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "Give your id of the order.")
		os.Exit(2)
	}
	if err := reportPurchase(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
