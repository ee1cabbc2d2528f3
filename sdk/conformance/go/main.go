// Makes the calls of the table, and prints what came of each as a line of JSON.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"

	turnpike "github.com/turnpike/turnpike/sdk/go"
)

type row struct {
	Step      string            `json:"step"`
	Call      string            `json:"call"`
	List      string            `json:"list"`
	Path      map[string]string `json:"path"`
	Query     map[string]any    `json:"query"`
	Body      map[string]any    `json:"body"`
	TimeoutMs int               `json:"timeoutMs"`
	Save      map[string]string `json:"save"`
	Show      []string          `json:"show"`
}

type webhook struct {
	Name      string   `json:"name"`
	Secrets   []string `json:"secrets"`
	Now       int64    `json:"now"`
	Signature string   `json:"signature"`
	Body      string   `json:"body"`
	// For how long another process has claimed the event before it comes; nil without one.
	ClaimedForSeconds *int `json:"claimedForSeconds"`
	ActFails          bool `json:"actFails"`
}

type line map[string]any

var saved = map[string]string{"email": os.Getenv("EMAIL")}

func main() {
	client := newClient(turnpike.Options{})
	var rows []row
	read("calls", &rows)
	for _, one := range rows {
		outcome, err := call(client, one)
		if err != nil {
			outcome = told(err)
		}
		outcome["step"] = one.Step
		show(outcome)
		if one.Step == "register" {
			client = newClient(turnpike.Options{APIKey: saved["keyId"], APISecret: saved["secret"]})
		}
	}
	receive()
}

func newClient(options turnpike.Options) *turnpike.Client {
	options.BaseURL = os.Getenv("BASE_URL")
	client, err := turnpike.New(options)
	check(err)
	return client
}

func call(client *turnpike.Client, one row) (line, error) {
	ctx := context.Background()
	options := []turnpike.CallOption{turnpike.WithRequestID(one.Step)}
	if one.TimeoutMs > 0 {
		options = append(options, turnpike.WithTimeout(time.Duration(one.TimeoutMs)*time.Millisecond))
	}
	if one.List == "paymentRefunds" {
		filter := turnpike.PaymentRefundsFilter{Limit: 2}
		return count(client.PaymentRefunds(saved["orderId"], filter, options...))
	} else if one.List == "events" {
		return count(turnpike.Items[turnpike.Event](client, one.List, query(one.Query), options...))
	} else if one.List != "" {
		return count(turnpike.Items[turnpike.Payment](client, one.List, query(one.Query), options...))
	}
	request := turnpike.Request{Path: map[string]string{}, Query: query(one.Query)}
	for name, value := range one.Path {
		request.Path[name] = filled(value)
	}
	if one.Body != nil {
		text, err := json.Marshal(one.Body)
		check(err)
		request.Body = json.RawMessage(filled(string(text)))
	}
	var data map[string]any
	if err := client.Call(ctx, one.Call, request, &data, options...); err != nil {
		return nil, err
	}
	for name, path := range one.Save {
		saved[name] = at(data, path).(string)
	}
	shown := []any{}
	for _, path := range one.Show {
		shown = append(shown, at(data, path))
	}
	return line{"data": shown}, nil
}

func count[T any](items *turnpike.Iterator[T]) (line, error) {
	counted := 0
	for items.Next(context.Background()) {
		counted++
	}
	return line{"items": counted}, items.Err()
}

func query(values map[string]any) url.Values {
	query := url.Values{}
	for name, value := range values {
		list, isList := value.([]any)
		if !isList {
			list = []any{value}
		}
		for _, one := range list {
			query.Add(name, fmt.Sprint(one))
		}
	}
	return query
}

var kinds = []struct {
	is   error
	name string
}{
	{turnpike.ErrTimeout, "TimeoutError"},
	{turnpike.ErrConnection, "ConnectionError"},
	{turnpike.ErrAuthentication, "AuthenticationError"},
	{turnpike.ErrPermission, "PermissionError"},
	{turnpike.ErrValidation, "ValidationError"},
	{turnpike.ErrNotFound, "NotFoundError"},
	{turnpike.ErrConflict, "ConflictError"},
	{turnpike.ErrRateLimit, "RateLimitError"},
	{turnpike.ErrUnavailable, "UnavailableError"},
}

func told(err error) line {
	outcome := line{"error": "ApiError"}
	for _, kind := range kinds {
		if errors.Is(err, kind.is) {
			outcome["error"] = kind.name
			break
		}
	}
	var refusal *turnpike.APIError
	if !errors.As(err, &refusal) {
		return outcome
	}
	paths := []string{}
	for _, detail := range refusal.Details {
		paths = append(paths, detail.Path)
	}
	outcome["code"], outcome["status"], outcome["details"] = nil, refusal.Status, paths
	if refusal.Code != "" {
		outcome["code"] = refusal.Code
	}
	if refusal.RetryAfter != nil {
		outcome["retryAfter"] = *refusal.RetryAfter
	}
	return outcome
}

var errAct = errors.New("act failed")

func receive() {
	var webhooks []webhook
	read("webhooks", &webhooks)
	seen := &turnpike.SeenInMemory{}
	for _, one := range webhooks {
		delivery := turnpike.Delivery{
			RawBody: []byte(one.Body), Signature: one.Signature, Secrets: one.Secrets, Now: time.Unix(one.Now, 0),
		}
		if one.ClaimedForSeconds != nil {
			event, err := turnpike.VerifyWebhook(delivery)
			check(err)
			_, err = seen.Claim(event.ID, time.Duration(*one.ClaimedForSeconds)*time.Second)
			check(err)
		}
		outcome, err := turnpike.HandleWebhook(delivery, seen, func(*turnpike.WebhookEvent) error {
			if one.ActFails {
				return errAct
			}
			return nil
		})
		var fault *turnpike.VerificationError
		if errors.As(err, &fault) {
			outcome = turnpike.Outcome(fault.Fault)
		} else if errors.Is(err, errAct) {
			outcome = "act-failed"
		} else {
			check(err)
		}
		show(line{"step": one.Name, "outcome": outcome})
	}
}

var variable = regexp.MustCompile(`\$\{\w+\}`)

func filled(text string) string {
	return variable.ReplaceAllStringFunc(text, func(match string) string { return saved[match[2:len(match)-1]] })
}

func at(data any, path string) any {
	for _, name := range strings.Split(path, ".") {
		data = data.(map[string]any)[name]
	}
	return data
}

func read(name string, target any) {
	text, err := os.ReadFile(name + ".json")
	check(err)
	check(json.Unmarshal(text, target))
}

func show(outcome line) { check(json.NewEncoder(os.Stdout).Encode(outcome)) }

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
