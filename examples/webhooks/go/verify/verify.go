// Package verify verifies webhooks of Turnpike. Standard library only; copy this file.
package verify

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Tolerance is how old, or how far ahead, the signed time may be.
const Tolerance = 5 * time.Minute

// What can be wrong with a delivery. Answer 400 to each of them. ErrNoSecret is the caller's own fault.
var (
	ErrNoSecret  = errors.New("verify.Webhook needs the secret")
	ErrMissing   = errors.New("there is no X-PGW-Signature header")
	ErrMalformed = errors.New("X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>")
	ErrTooOld    = errors.New("the signed time is too far from the time it arrived")
	ErrNoMatch   = errors.New("no v1 signature matches: another secret, or the body was changed")
	ErrBody      = errors.New("the body is signed, but is no event in JSON")
)

var unixTime = regexp.MustCompile(`\A[0-9]{1,12}\z`)
var hexDigest = regexp.MustCompile(`\A[0-9a-f]{64}\z`)

// Event is what happened. Its ID stays the same over all attempts and resends: remember it, and act on it once.
type Event struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	APIVersion  string    `json:"apiVersion"`
	Environment string    `json:"environment"`
	CreatedAt   time.Time `json:"createdAt"`
	// Data holds the payment; its amounts are decimal strings, never floats.
	Data json.RawMessage `json:"data"`
}

// Webhook verifies a delivery and returns its event. rawBody is the body as it came, signature the header
// X-PGW-Signature, and secrets the whole whsec_... secrets to accept: two while you change from one to the other.
func Webhook(rawBody []byte, signature string, secrets []string, now time.Time) (Event, error) {
	if len(secrets) == 0 {
		return Event{}, ErrNoSecret
	}
	signedAt, candidates, err := readSignature(signature)
	if err != nil {
		return Event{}, err
	}
	seconds, _ := strconv.ParseInt(signedAt, 10, 64) // twelve digits at most
	if age := now.Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return Event{}, fmt.Errorf("%w: %s off", ErrTooOld, age.Round(time.Second))
	}
	for _, secret := range secrets {
		if secret == "" {
			return Event{}, ErrNoSecret
		}
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(signedAt + "."))
		mac.Write(rawBody)
		expected := []byte(hex.EncodeToString(mac.Sum(nil)))
		for _, candidate := range candidates {
			if hmac.Equal(expected, []byte(candidate)) {
				return readEvent(rawBody)
			}
		}
	}
	return Event{}, ErrNoMatch
}

// readSignature leaves entries of other names alone: a later version of the scheme may add some.
func readSignature(header string) (signedAt string, candidates []string, err error) {
	if header == "" {
		return "", nil, ErrMissing
	}
	times := 0
	for _, entry := range strings.Split(header, ",") {
		entry = strings.Trim(entry, " \t")
		if strings.HasPrefix(entry, "t=") {
			times, signedAt = times+1, entry[2:]
		} else if strings.HasPrefix(entry, "v1=") && hexDigest.MatchString(entry[3:]) {
			candidates = append(candidates, entry[3:])
		}
	}
	if times != 1 || !unixTime.MatchString(signedAt) || len(candidates) == 0 {
		return "", nil, ErrMalformed
	}
	return signedAt, candidates, nil
}

func readEvent(rawBody []byte) (Event, error) {
	var event Event
	// encoding/json would replace bytes that are no UTF-8 silently.
	if !utf8.Valid(rawBody) || json.Unmarshal(rawBody, &event) != nil || event.ID == "" || event.Type == "" {
		return Event{}, ErrBody
	}
	return event, nil
}
