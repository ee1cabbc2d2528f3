package turnpike

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"time"
)

const (
	firstDelay   = 500 * time.Millisecond
	longestDelay = 8 * time.Second
	// Beside Retry-After, so that all who were told the same second do not come in it.
	spread = 250 * time.Millisecond
)

// The gateway's codes that say "try again": too many calls, a fault, overload, and the first call still running.
var passing = map[string]bool{"9001": true, "9500": true, "9503": true, "2003": true}

var isDigits = regexp.MustCompile(`^[0-9]+$`)

// What proxies in front of a gateway say when they cannot reach it.
var passingStatuses = map[int]bool{429: true, 500: true, 502: true, 503: true, 504: true}

// mayRepeat tells whether it is right to repeat after this error. A call that must not happen twice is repeated only
// after 429, which the gateway answers before it does anything.
func mayRepeat(err error, isSafe bool) bool {
	var refusal *APIError
	if !errors.As(err, &refusal) {
		return isSafe && errors.Is(err, ErrConnection)
	}
	if refusal.Status == 429 {
		return true
	}
	if refusal.Code == "" {
		return isSafe && passingStatuses[refusal.Status]
	}
	return isSafe && passing[refusal.Code]
}

// delayAfter is how long to wait before repetition nth, from 0.
func delayAfter(err error, nth int) time.Duration {
	var refusal *APIError
	if errors.As(err, &refusal) && refusal.RetryAfter != nil {
		return time.Duration(*refusal.RetryAfter)*time.Second + upTo(spread)
	}
	longest := longestDelay
	if nth < 4 {
		longest = firstDelay << nth
	}
	return upTo(longest)
}

func upTo(longest time.Duration) time.Duration {
	var bytes [8]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return longest
	}
	return time.Duration(binary.BigEndian.Uint64(bytes[:]) % uint64(longest))
}

// readRetryAfter reads seconds or a date. A number too large to be meant is the largest one.
func readRetryAfter(header string) *int {
	var seconds float64
	if isDigits.MatchString(header) {
		seconds, _ = strconv.ParseFloat(header, 64)
	} else if at, err := http.ParseTime(header); err == nil {
		seconds = time.Until(at).Round(time.Second).Seconds()
	} else {
		return nil
	}
	whole := int(math.Min(math.Max(0, seconds), math.MaxInt32))
	return &whole
}

// pause waits, or ends with the context.
func pause(ctx context.Context, delay time.Duration) error {
	timer := time.NewTimer(delay)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
