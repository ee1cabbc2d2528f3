package turnpike

import "sync"

// SeenEvents remembers the ids of events. In a shop it is a table with a unique column.
type SeenEvents interface {
	// Claim notes an id, and tells whether it is new. Of several at once, one is.
	Claim(eventID string) (bool, error)
	// Release forgets an id whose event could not be acted on.
	Release(eventID string) error
}

// Outcome is what became of a delivery. Answer 2xx to both.
type Outcome string

const (
	// Handled is an event that was acted on.
	Handled Outcome = "handled"
	// Repeated is an event that was acted on before.
	Repeated Outcome = "repeated"
)

// HandleWebhook verifies a delivery and acts on its event, unless that was done before. If act fails, the event counts
// as new again: answer 500, and the gateway delivers it anew.
func HandleWebhook(delivery Delivery, seen SeenEvents, act func(*WebhookEvent) error) (Outcome, error) {
	event, err := VerifyWebhook(delivery)
	if err != nil {
		return "", err
	}
	isNew, err := seen.Claim(event.ID)
	if err != nil {
		return "", err
	}
	if !isNew {
		return Repeated, nil
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
	return Handled, nil
}

// SeenInMemory keeps ids in the memory of one process: the newest ones, as many as Capacity.
type SeenInMemory struct {
	// Capacity is how many; 0 for ten thousand.
	Capacity int
	mutex    sync.Mutex
	ids      map[string]bool
	order    []string
}

// Claim notes an id, and tells whether it is new.
func (s *SeenInMemory) Claim(eventID string) (bool, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ids[eventID] {
		return false, nil
	}
	if s.ids == nil {
		s.ids = map[string]bool{}
	}
	capacity := s.Capacity
	if capacity == 0 {
		capacity = 10_000
	}
	s.ids[eventID] = true
	s.order = append(s.order, eventID)
	for len(s.order) > capacity {
		delete(s.ids, s.order[0])
		s.order = s.order[1:]
	}
	return true, nil
}

// Release forgets an id.
func (s *SeenInMemory) Release(eventID string) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	delete(s.ids, eventID)
	for at, id := range s.order {
		if id == eventID {
			s.order = append(s.order[:at], s.order[at+1:]...)
			break
		}
	}
	return nil
}
