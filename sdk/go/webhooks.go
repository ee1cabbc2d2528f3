package turnpike

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

const (
	toleranceSeconds = 300
	// The gateway signs with two secrets at most; work for a stranger's header is bounded.
	mostCandidates = 8
)

// Delivery is a webhook that arrived, and how to verify it.
type Delivery struct {
	// RawBody is the body as it came: a parsed and re-serialised body has another signature.
	RawBody []byte
	// Signature is the header X-PGW-Signature.
	Signature string
	// Secrets are the whsec_… to accept, in full: two while you change from one to the other.
	Secrets []string
	// Now is when it arrived; the zero time for now.
	Now time.Time
	// Tolerance is how old, or how far in the future, the signed time may be; 0 for five minutes.
	Tolerance time.Duration
}

// WebhookEvent is a verified event. Its ID stays the same over all attempts and resends.
type WebhookEvent struct {
	ID          string    `json:"id"`
	Type        string    `json:"type"`
	APIVersion  string    `json:"apiVersion"`
	Environment string    `json:"environment"`
	CreatedAt   time.Time `json:"createdAt"`
	// Data has what the event is about; the others are nil.
	Data struct {
		Payment    *Payment      `json:"payment"`
		Invoice    *Invoice      `json:"invoice"`
		Withdrawal *Withdrawal   `json:"withdrawal"`
		Refund     *RefundRecord `json:"refund"`
	} `json:"data"`
}

// VerificationError is a delivery that must not be trusted: answer 400. It contains no secret.
type VerificationError struct {
	// Fault is missing-signature, malformed-signature, outside-tolerance, no-match or malformed-body.
	Fault   string
	Message string
}

func (e *VerificationError) Error() string { return "turnpike: " + e.Message }

// VerifyWebhook verifies a delivery and returns its event. The error is a *VerificationError, but for missing secrets.
func VerifyWebhook(delivery Delivery) (*WebhookEvent, error) {
	if len(delivery.Secrets) == 0 {
		return nil, errors.New("turnpike: VerifyWebhook needs the secret")
	}
	for _, secret := range delivery.Secrets {
		// Otherwise an unset variable would be a key that anyone can sign with.
		if secret == "" {
			return nil, errors.New("turnpike: VerifyWebhook needs the secret")
		}
	}
	signedAt, candidates, fault := readSignature(delivery.Signature)
	if fault != nil {
		return nil, fault
	}
	if fault := checkTime(delivery, signedAt); fault != nil {
		return nil, fault
	}
	for _, secret := range delivery.Secrets {
		mac := hmac.New(sha256.New, []byte(secret))
		mac.Write([]byte(signedAt + "."))
		mac.Write(delivery.RawBody)
		expected := mac.Sum(nil)
		for _, candidate := range candidates {
			if hmac.Equal(expected, candidate) {
				return readEvent(delivery.RawBody)
			}
		}
	}
	return nil, &VerificationError{"no-match", "no v1 signature matches: another secret, or the body was changed"}
}

var (
	isTime      = regexp.MustCompile(`^[0-9]{1,12}$`)
	isCandidate = regexp.MustCompile(`^v1=[0-9a-f]{64}$`)
)

// readSignature ignores entries with other names: a later version of the scheme may add some.
func readSignature(header string) (string, [][]byte, *VerificationError) {
	if header == "" {
		return "", nil, &VerificationError{"missing-signature", "there is no X-PGW-Signature header"}
	}
	var times []string
	var candidates [][]byte
	for _, entry := range strings.Split(header, ",") {
		entry = strings.Trim(entry, " \t")
		if strings.HasPrefix(entry, "t=") {
			times = append(times, entry[2:])
		} else if isCandidate.MatchString(entry) && len(candidates) < mostCandidates {
			candidate, _ := hex.DecodeString(entry[3:])
			candidates = append(candidates, candidate)
		}
	}
	if len(times) != 1 || !isTime.MatchString(times[0]) || len(candidates) == 0 {
		return "", nil, &VerificationError{
			"malformed-signature", "X-PGW-Signature is not like t=<unix>, v1=<64 hex digits>",
		}
	}
	return times[0], candidates, nil
}

func checkTime(delivery Delivery, signedAt string) *VerificationError {
	now, accepted := delivery.Now, int64(delivery.Tolerance/time.Second)
	if now.IsZero() {
		now = time.Now()
	}
	if accepted == 0 {
		accepted = toleranceSeconds
	}
	seconds, _ := strconv.ParseInt(signedAt, 10, 64)
	off, way := now.Unix()-seconds, "before"
	if off < 0 {
		off, way = -off, "after"
	}
	if off <= accepted {
		return nil
	}
	return &VerificationError{
		"outside-tolerance",
		fmt.Sprintf("signed %d s %s it arrived; at most %d s are accepted", off, way, accepted),
	}
}

// readEvent reads the body. The gateway signed it, so its fields are trusted as they are.
func readEvent(body []byte) (*WebhookEvent, error) {
	var event WebhookEvent
	if !utf8.Valid(body) || json.Unmarshal(body, &event) != nil || event.ID == "" || event.Type == "" {
		return nil, &VerificationError{"malformed-body", "the body is signed, but is no event in JSON"}
	}
	return &event, nil
}
