// A receiver of Turnpike's webhooks. Run in this folder: PORT=8081 WEBHOOK_SECRET=whsec_... go run .
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"sync"
	"time"

	"turnpike.example/webhooks/verify"
)

const maxBodyBytes = 1 << 20

// seen would be a unique column in a shop, written in the transaction that acts on the event.
var seen sync.Map

func act(event verify.Event) {
	if _, again := seen.LoadOrStore(event.ID, true); again {
		return
	}
	var data struct {
		Payment struct {
			OrderID string `json:"orderId"`
		} `json:"payment"`
	}
	_ = json.Unmarshal(event.Data, &data) // a test event has no payment
	fmt.Println(strings.TrimSpace(event.ID + " " + event.Type + " " + data.Payment.OrderID))
}

func receive(secrets []string) http.HandlerFunc {
	return func(response http.ResponseWriter, request *http.Request) {
		response.Header().Set("Content-Type", "application/json")
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, maxBodyBytes))
		var event verify.Event
		if err == nil {
			event, err = verify.Webhook(body, request.Header.Get("X-PGW-Signature"), secrets, time.Now())
		}
		if errors.Is(err, verify.ErrNoSecret) {
			response.WriteHeader(http.StatusInternalServerError)
			return
		}
		if err != nil {
			log.Print("refused: ", err)
			response.WriteHeader(http.StatusBadRequest)
			_, _ = io.WriteString(response, `{"status":"refused"}`)
			return
		}
		act(event)
		_, _ = io.WriteString(response, `{"status":"ok"}`)
	}
}

func main() {
	port := os.Getenv("PORT")
	if port == "" {
		port = "8081"
	}
	// Two, separated by a comma, while you change from one to the other.
	secrets := strings.FieldsFunc(os.Getenv("WEBHOOK_SECRET"), func(char rune) bool { return char == ',' })
	if len(secrets) == 0 {
		log.Fatal("WEBHOOK_SECRET is not set")
	}
	server := &http.Server{
		Addr:              "127.0.0.1:" + port,
		Handler:           receive(secrets),
		ReadTimeout:       10 * time.Second,
		ReadHeaderTimeout: 10 * time.Second,
	}
	log.Print("listening on ", server.Addr)
	log.Fatal(server.ListenAndServe())
}
