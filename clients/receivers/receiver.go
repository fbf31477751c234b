// Receives webhooks, using only Go's standard library.
//
//	export WEBHOOK_SECRET=whsec_… PORT=8080
//	go run receiver.go
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const (
	maxBytes  = 64 * 1024
	tolerance = 300 * time.Second
)

// verify checks that the service sent the webhook (Standard Webhooks 1.0).
func verify(body []byte, headers http.Header, secret string, now time.Time) error {
	encoded, isSecret := strings.CutPrefix(secret, "whsec_")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if !isSecret || err != nil || len(key) == 0 {
		return errors.New("INVALID_SECRET")
	}
	id, timestamp := headers.Get("webhook-id"), headers.Get("webhook-timestamp")
	signatures := headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return errors.New("MISSING_HEADER")
	}
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("TIMESTAMP_OUT_OF_RANGE")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	for _, signature := range strings.Split(signatures, " ") {
		if hmac.Equal([]byte(signature), []byte(expected)) {
			return nil
		}
	}
	return errors.New("INVALID_SIGNATURE")
}

// In your shop, use a table with a unique index, written in the same transaction as the event's changes.
var seen sync.Map

func receive(w http.ResponseWriter, r *http.Request) {
	// The bytes as received: re-serialized JSON would have another signature.
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBytes))
	if err == nil {
		err = verify(body, r.Header, os.Getenv("WEBHOOK_SECRET"), time.Now())
	}
	var event struct{ Type string }
	if err == nil {
		err = json.Unmarshal(body, &event)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	id := r.Header.Get("webhook-id")
	// A webhook may arrive twice: ignore the second.
	if _, isKnown := seen.LoadOrStore(id, true); !isKnown {
		// Only store it here, and process it after the response, which must be sent within seconds.
		fmt.Println("received", event.Type, id)
	}
	w.WriteHeader(http.StatusNoContent)
}

func main() {
	listener, err := net.Listen("tcp", ":"+os.Getenv("PORT"))
	if err != nil {
		panic(err)
	}
	fmt.Println("listening on port", listener.Addr().(*net.TCPAddr).Port)
	server := &http.Server{Handler: http.HandlerFunc(receive), ReadTimeout: 10 * time.Second}
	panic(server.Serve(listener))
}
