package turnpike

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Options say how to reach a gateway, and as whom. Zero values stand for what is usual.
type Options struct {
	// BaseURL is where the gateway is. Plain HTTP is for this machine only.
	BaseURL string
	// APIKey is pk_…; without it only what is public can be called.
	APIKey string
	// APISecret is sk_….
	APISecret string
	// Timeout is for one attempt, its answer included: 30 seconds.
	Timeout time.Duration
	// MaxRetries is how often a call is repeated after its first attempt: 3; negative for never.
	MaxRetries int
	// MaxRetryAfter is the longest Retry-After that is waited for: a minute.
	MaxRetryAfter time.Duration
	// AllowInsecureHTTP allows plain HTTP to other machines: inside a cluster, say.
	AllowInsecureHTTP bool
	// Transport is another way to send, with a proxy, say.
	Transport http.RoundTripper
}

// CallOption says something about one call besides its input.
type CallOption func(*callOptions)

type callOptions struct {
	timeout        time.Duration
	idempotencyKey string
	requestID      string
}

// WithTimeout is for each attempt of this call, in place of the client's own. The context ends them all.
func WithTimeout(timeout time.Duration) CallOption {
	return func(o *callOptions) { o.timeout = timeout }
}

// WithIdempotencyKey is for a call that is to happen once over restarts of your program as well: give the order's
// number, say, of 1 to 255 printable ASCII characters. Without it one is made for each creating call.
func WithIdempotencyKey(key string) CallOption {
	return func(o *callOptions) { o.idempotencyKey = key }
}

// WithRequestID gives the call a trace id of your own, which the gateway's logs and errors repeat.
func WithRequestID(id string) CallOption {
	return func(o *callOptions) { o.requestID = id }
}

// Ptr makes a pointer of a value, for fields that may be left out.
func Ptr[T any](value T) *T { return &value }

func (o Options) checked() (Options, error) {
	base, err := url.Parse(o.BaseURL)
	if err != nil || (base.Scheme != "http" && base.Scheme != "https") || base.Hostname() == "" {
		return o, errors.New("turnpike: BaseURL is no http(s) URL")
	}
	if base.User != nil {
		return o, errors.New("turnpike: BaseURL must not hold a user name or password")
	}
	if base.Scheme == "http" && !isLoopback(base.Hostname()) && !o.AllowInsecureHTTP {
		return o, errors.New("turnpike: BaseURL is plain HTTP to another machine: use https, or AllowInsecureHTTP")
	}
	if (o.APIKey == "") != (o.APISecret == "") {
		return o, errors.New("turnpike: APIKey and APISecret go together")
	}
	o.BaseURL = strings.TrimRight(o.BaseURL, "/")
	if o.Timeout == 0 {
		o.Timeout = 30 * time.Second
	}
	if o.MaxRetries == 0 {
		o.MaxRetries = 3
	}
	if o.MaxRetryAfter == 0 {
		o.MaxRetryAfter = time.Minute
	}
	return o, nil
}

func isLoopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || (ip != nil && ip.IsLoopback())
}
