package turnpike

import (
	"context"
	"time"
)

// A token is renewed this long before its end, or in the last tenth of its time if that is less.
const lead = 5 * time.Minute

// tokenSource keeps one token. It is a channel of one place, so that those who wait for it can leave with their context.
type tokenSource struct {
	place    chan heldToken
	exchange func(context.Context) (*AccessToken, error)
}

type heldToken struct {
	token   string
	renewAt time.Time
}

func newTokenSource(exchange func(context.Context) (*AccessToken, error)) *tokenSource {
	source := &tokenSource{place: make(chan heldToken, 1), exchange: exchange}
	source.place <- heldToken{}
	return source
}

// get returns the token to send; others wait while one exchanges.
func (s *tokenSource) get(ctx context.Context) (string, error) {
	var held heldToken
	select {
	case held = <-s.place:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { s.place <- held }()
	if held.token != "" && time.Now().Before(held.renewAt) {
		return held.token, nil
	}
	begun := time.Now()
	issued, err := s.exchange(ctx)
	if err != nil {
		return "", err
	}
	life := time.Duration(issued.ExpiresIn) * time.Second
	early := life / 10
	if early > lead {
		early = lead
	}
	held = heldToken{token: issued.AccessToken, renewAt: begun.Add(life - early)}
	return held.token, nil
}

// drop forgets a token that was refused, unless a newer one has taken its place.
func (s *tokenSource) drop(token string) {
	held := <-s.place
	if held.token == token {
		held = heldToken{}
	}
	s.place <- held
}
