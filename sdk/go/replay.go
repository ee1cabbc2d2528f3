package turnpike

import (
	"sync"
	"time"
)

// Claim is what is known of an event.
type Claim string

const (
	// ClaimNew is an event of which nothing is known.
	ClaimNew Claim = "new"
	// ClaimBusy is an event that somebody acts on at the moment.
	ClaimBusy Claim = "busy"
	// ClaimDone is an event that was acted on.
	ClaimDone Claim = "done"
)

// SeenEvents remembers events by their ids. In a shop it is a table with a unique column.
type SeenEvents interface {
	// Claim tells what is known of an event; if that is ClaimNew, it also claims it for a time, in which others are
	// told ClaimBusy. Of several at once, one is told ClaimNew. A claim that has lapsed is new again: its holder was
	// killed.
	Claim(eventID string, lease time.Duration) (Claim, error)
	// Finish notes that the event was acted on: it is done from now on.
	Finish(eventID string) error
	// Release gives up the claim of an event that could not be acted on.
	Release(eventID string) error
}

// Outcome is what became of a delivery. Answer 2xx to Handled and Repeated, and 503 to Busy.
type Outcome string

const (
	// Handled is an event that was acted on.
	Handled Outcome = "handled"
	// Repeated is an event that was acted on before.
	Repeated Outcome = "repeated"
	// Busy is an event that is being acted on: if that fails, only the gateway's next attempt brings it again.
	Busy Outcome = "busy"
)

// Longer than a receiver takes that answers in time (5 s), and as long as the gateway waits before its second attempt.
const leaseOfClaim = 60 * time.Second

// HandleWebhook verifies a delivery and acts on its event, unless that was done before. If act fails, the event counts
// as new again: answer 500, and the gateway delivers it anew. A process that is killed between acting and noting it acts
// again a minute later, so let act change only what is not changed yet.
func HandleWebhook(delivery Delivery, seen SeenEvents, act func(*WebhookEvent) error) (Outcome, error) {
	event, err := VerifyWebhook(delivery)
	if err != nil {
		return "", err
	}
	claim, err := seen.Claim(event.ID, leaseOfClaim)
	if err != nil {
		return "", err
	}
	switch claim {
	case ClaimDone:
		return Repeated, nil
	case ClaimBusy:
		return Busy, nil
	}
	isDone := false
	defer func() {
		if !isDone {
			_ = seen.Release(event.ID)
		}
	}()
	if err := act(event); err != nil {
		return "", err
	}
	isDone = true
	if err := seen.Finish(event.ID); err != nil {
		return "", err
	}
	return Handled, nil
}

// SeenInMemory keeps ids in the memory of one process: the newest ones, as many as Capacity.
type SeenInMemory struct {
	// Capacity is how many; 0 for ten thousand.
	Capacity int
	mutex    sync.Mutex
	events   map[string]seenEvent
	order    []string
}

type seenEvent struct {
	isDone bool
	lapses time.Time
}

// Claim tells what is known of an event, and claims one that is new.
func (s *SeenInMemory) Claim(eventID string, lease time.Duration) (Claim, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	known, isKnown := s.events[eventID]
	if known.isDone {
		return ClaimDone, nil
	}
	if isKnown && time.Now().Before(known.lapses) {
		return ClaimBusy, nil
	}
	if s.events == nil {
		s.events = map[string]seenEvent{}
	}
	capacity := s.Capacity
	if capacity == 0 {
		capacity = 10_000
	}
	s.events[eventID] = seenEvent{lapses: time.Now().Add(lease)}
	if !isKnown {
		s.order = append(s.order, eventID)
	}
	for len(s.order) > capacity {
		delete(s.events, s.order[0])
		s.order = s.order[1:]
	}
	return ClaimNew, nil
}

// Finish notes that the event was acted on.
func (s *SeenInMemory) Finish(eventID string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if _, isKnown := s.events[eventID]; isKnown {
		s.events[eventID] = seenEvent{isDone: true}
	}
	return nil
}

// Release gives up the claim of an event.
func (s *SeenInMemory) Release(eventID string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.events, eventID)
	for at, id := range s.order {
		if id == eventID {
			s.order = append(s.order[:at], s.order[at+1:]...)
			break
		}
	}
	return nil
}
