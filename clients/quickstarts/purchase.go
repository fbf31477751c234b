// Reports purchases and refunds, signed, using only Go's standard library.
//
//	export PARTNER_URL=http://127.0.0.1:3000 PARTNER_KEY=pk_test_… PARTNER_SECRET=sk_test_…
//	go run purchase.go purchase A1; go run purchase.go refund A1; go run purchase.go usage
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

// sign returns the signature header's value. The secret is used exactly as shown; it is not decoded.
func sign(secret, method, path, timestamp string, body []byte) string {
	hash := sha256.Sum256(body)
	// Five lines, without a line break at the end.
	lines := []string{"v1", strings.ToUpper(method), path, timestamp, hex.EncodeToString(hash[:])}
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(strings.Join(lines, "\n")))
	return "sha256=" + hex.EncodeToString(mac.Sum(nil))
}

// send retries until a response arrives that another attempt would not change.
func send(method, path, key string, fields map[string]any) error {
	var body []byte
	if fields != nil {
		// Serialized once: every attempt signs and sends exactly these bytes.
		var err error
		if body, err = json.Marshal(fields); err != nil {
			return err
		}
	}
	var failure error
	for attempt := 0; attempt < 5; attempt++ {
		status, text, wait, err := sendOnce(method, path, key, body)
		if err == nil && status != 408 && status != 429 && status < 500 {
			fmt.Println(text) // For a refusal: the code of the error, and what to do.
			if status >= 300 {
				return fmt.Errorf("refused: %d", status)
			}
			return nil
		}
		if failure = err; err == nil {
			failure = fmt.Errorf("%d %s", status, text)
		}
		if attempt < 4 {
			time.Sleep(max(wait, time.Second<<attempt))
		}
	}
	return fmt.Errorf("no success: %w; try again later, with the same key", failure)
}

func sendOnce(method, path, key string, body []byte) (status int, text string, wait time.Duration, err error) {
	request, err := http.NewRequest(method, os.Getenv("PARTNER_URL")+path, bytes.NewReader(body))
	if err != nil {
		return
	}
	// Every attempt has a new signature, because the time is signed too.
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	request.Header.Set("X-Partner-Key", os.Getenv("PARTNER_KEY"))
	request.Header.Set("X-Partner-Timestamp", timestamp)
	request.Header.Set("X-Partner-Signature", sign(os.Getenv("PARTNER_SECRET"), method, path, timestamp, body))
	if key != "" {
		request.Header.Set("Content-Type", "application/json")
		// The same key for every retry, so that none counts twice.
		request.Header.Set("Idempotency-Key", key)
	}
	client := http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		return
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return response.StatusCode, string(answer), time.Duration(seconds) * time.Second, err
}

func run(arguments []string) error {
	arguments = append(arguments, "", "")
	what, order := arguments[0], arguments[1]
	switch {
	case what == "purchase" && order != "":
		return send("POST", "/api/v1/partner/purchases", "purchase:"+order, map[string]any{
			"externalOrderId": order,
			"customer":        map[string]any{"email": "ann@example.com"},
			"order":           map[string]any{"subtotalCents": 4990},
		})
	case what == "part" && order != "":
		// One item came back: each part has an id of its own.
		return send("POST", "/api/v1/partner/refunds", "refund:"+order+":"+order+"-1", map[string]any{
			"externalOrderId":  order,
			"externalRefundId": order + "-1",
			"amountCents":      1200,
		})
	case what == "refund" && order != "":
		return send("POST", "/api/v1/partner/refunds", "refund:"+order, map[string]any{"externalOrderId": order})
	case what == "usage":
		return send("GET", "/api/v1/partner/usage", "", nil)
	}
	return fmt.Errorf("usage: purchase <order> | part <order> | refund <order> | usage")
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
