// Package turnpike is a typed client of Turnpike, the crypto payment gateway, and verifies its webhooks.
package turnpike

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
)

// Client is a gateway, as one merchant's key. Make one and keep it: it holds the token. Goroutines may share it.
type Client struct {
	options Options
	http    *http.Client
	tokens  *tokenSource
}

// New makes a client; the error says which option is wrong.
func New(options Options) (*Client, error) {
	checked, err := options.checked()
	if err != nil {
		return nil, err
	}
	c := &Client{options: checked}
	c.http = &http.Client{
		Transport: checked.Transport,
		// A redirection would carry a secret to another address.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	c.tokens = newTokenSource(func(ctx context.Context) (*AccessToken, error) {
		if checked.APIKey == "" {
			return nil, errors.New("turnpike: this call needs a key: give APIKey and APISecret")
		}
		return c.CreateAccessToken(ctx, CreateAccessTokenInput{KeyID: checked.APIKey, Secret: checked.APISecret})
	})
	return c, nil
}

// Request is the input of any call: the ids of its path, its filters, and its body, which is anything that JSON has.
// A map as the body can say null, which clears a field.
type Request struct {
	Path  map[string]string
	Query url.Values
	Body  any
}

// Call makes any call by the name of its operation, and reads its data into target, unless that is nil.
func (c *Client) Call(ctx context.Context, name string, request Request, target any, options ...CallOption) error {
	text, err := c.Text(ctx, name, request, options...)
	if err != nil || target == nil {
		return err
	}
	envelope := struct {
		Data any `json:"data"`
	}{target}
	return json.Unmarshal(text, &envelope)
}

// Text makes a call and returns the text of its answer: a report in CSV, say.
func (c *Client) Text(ctx context.Context, name string, request Request, options ...CallOption) ([]byte, error) {
	operation, ok := operations[name]
	if !ok {
		return nil, fmt.Errorf("turnpike: there is no operation %q", name)
	}
	chosen := callOptions{timeout: c.options.Timeout}
	for _, choose := range options {
		choose(&chosen)
	}
	out := outgoing{method: operation.method, timeout: chosen.timeout, headers: map[string]string{}}
	var err error
	if out.path, err = withIDs(operation.path, request.Path); err != nil {
		return nil, err
	}
	if len(request.Query) > 0 {
		out.path += "?" + request.Query.Encode()
	}
	if request.Body != nil {
		if out.body, err = json.Marshal(request.Body); err != nil {
			return nil, err
		}
	}
	// Made here, before the first attempt, so that all attempts have the same.
	if operation.isKeyed {
		if out.headers["Idempotency-Key"] = chosen.idempotencyKey; chosen.idempotencyKey == "" {
			out.headers["Idempotency-Key"] = newKey()
		}
	}
	if chosen.requestID != "" {
		out.headers["X-Request-Id"] = chosen.requestID
	}
	out.isSafe = operation.isKeyed || out.method == "GET" || out.method == "PUT" || name == "createAccessToken"
	if operation.isOpen {
		return c.send(ctx, out)
	}
	return c.sendWithToken(ctx, out)
}

// sendWithToken sends once more with a new token, if the old one was refused: it may have ended on the way.
func (c *Client) sendWithToken(ctx context.Context, out outgoing) ([]byte, error) {
	for isSecond := false; ; isSecond = true {
		token, err := c.tokens.get(ctx)
		if err != nil {
			return nil, err
		}
		out.headers["Authorization"] = "Bearer " + token
		text, err := c.send(ctx, out)
		var refusal *APIError
		if isSecond || !errors.As(err, &refusal) || refusal.Code != "1002" {
			return text, err
		}
		c.tokens.drop(token)
	}
}

var idInPath = regexp.MustCompile(`\{(\w+)\}`)

// withIDs fills in the ids; one that is missing or empty would make another call of it.
func withIDs(path string, ids map[string]string) (string, error) {
	var fault error
	filled := idInPath.ReplaceAllStringFunc(path, func(match string) string {
		id := ids[match[1:len(match)-1]]
		if id == "" || id == "." || id == ".." {
			fault = fmt.Errorf("turnpike: %s is not an id", match)
		}
		return url.PathEscape(id)
	})
	return filled, fault
}

func newKey() string {
	var bytes [16]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		panic(err) // The system has no randomness: nothing that follows would be safe.
	}
	return hex.EncodeToString(bytes[:])
}
