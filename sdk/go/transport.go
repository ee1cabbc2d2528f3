package turnpike

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"
)

// outgoing is what is sent.
type outgoing struct {
	method  string
	path    string
	headers map[string]string
	// Serialised once, so that every repetition has the same bytes.
	body []byte
	// Whether it may be repeated although the gateway may have acted on it.
	isSafe  bool
	timeout time.Duration
}

// send sends until it is answered, or until repeating is no use.
func (c *Client) send(ctx context.Context, out outgoing) ([]byte, error) {
	for nth := 0; ; nth++ {
		text, err := c.sendOnce(ctx, out)
		if err == nil || ctx.Err() != nil || nth >= c.options.MaxRetries || !mayRepeat(err, out.isSafe) {
			return text, err
		}
		delay := delayAfter(err, nth)
		// A spread of its own may come on top of what is accepted.
		if delay > c.options.MaxRetryAfter+time.Second {
			return nil, err
		}
		if err := pause(ctx, delay); err != nil {
			return nil, err
		}
	}
}

func (c *Client) sendOnce(ctx context.Context, out outgoing) ([]byte, error) {
	limited, cancel := context.WithTimeout(ctx, out.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(limited, out.method, c.options.BaseURL+out.path, bytes.NewReader(out.body))
	if err != nil {
		return nil, err
	}
	// Go itself repeats what it thinks is safe, on connections that were kept: that is decided here.
	request.GetBody = nil
	request.Header.Set("User-Agent", "turnpike-sdk-go/"+Version)
	if out.body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	for name, value := range out.headers {
		request.Header.Set(name, value)
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, broken(ctx, limited, err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, broken(ctx, limited, err)
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return nil, refusal(response, text)
	}
	return text, nil
}

// broken is the caller's own ending, or that of the connection.
func broken(ctx, limited context.Context, cause error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return &connectionError{isLate: limited.Err() != nil, cause: cause}
}

func refusal(response *http.Response, text []byte) *APIError {
	var answer struct {
		Error struct {
			Code    string        `json:"code"`
			Message string        `json:"message"`
			Details []ErrorDetail `json:"details"`
		} `json:"error"`
	}
	told := &APIError{
		Status:     response.StatusCode,
		RequestID:  response.Header.Get("X-Request-Id"),
		RetryAfter: readRetryAfter(response.Header.Get("Retry-After")),
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error.Code == "" {
		told.Message = fmt.Sprintf("the answer has the status %d, and is not the gateway's", told.Status)
		return told
	}
	told.Code, told.Message, told.Details = answer.Error.Code, answer.Error.Message, answer.Error.Details
	return told
}
