package turnpike

import (
	"errors"
	"fmt"
)

// What went wrong, for errors.Is. Details of a refusal are those of an *APIError, by errors.As.
var (
	// ErrConnection: the gateway did not answer, or not whole.
	ErrConnection = errors.New("turnpike: the connection to the gateway failed")
	// ErrTimeout: the gateway did not answer in time. It is an ErrConnection as well.
	ErrTimeout = errors.New("turnpike: the gateway did not answer in time")
	// ErrAuthentication (401): the key is wrong, revoked, or of the other environment.
	ErrAuthentication = errors.New("turnpike: not authenticated")
	// ErrPermission (403): the key lacks a permission, or may not be used from this address.
	ErrPermission = errors.New("turnpike: not permitted")
	// ErrValidation (400, 413, 415, 422): the input is at fault; Details says where.
	ErrValidation = errors.New("turnpike: not valid")
	// ErrNotFound (404): there is no such thing, or it is another merchant's.
	ErrNotFound = errors.New("turnpike: not found")
	// ErrConflict (409): the state of things does not allow it.
	ErrConflict = errors.New("turnpike: in conflict")
	// ErrRateLimit (429): too many calls; RetryAfter says how long to wait.
	ErrRateLimit = errors.New("turnpike: too many calls")
	// ErrUnavailable (5xx): the gateway, or a network of it, is not available.
	ErrUnavailable = errors.New("turnpike: not available")
)

// ErrorDetail is one fault of a request: the field, dotted as in your body, and what is wrong with it.
type ErrorDetail struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// APIError is a refusal by the gateway.
type APIError struct {
	// Code is the gateway's; empty if something else answered, such as a proxy.
	Code string
	// Status is that of HTTP.
	Status  int
	Message string
	// RequestID is to be quoted when you ask the operator for help.
	RequestID string
	// RetryAfter is how long to wait, in seconds; nil if the gateway did not say.
	RetryAfter *int
	// Details has every fault of the request, with 2001 and 5001.
	Details []ErrorDetail
}

func (e *APIError) Error() string {
	if e.Code == "" {
		return "turnpike: " + e.Message
	}
	return fmt.Sprintf("turnpike: %s (%s)", e.Message, e.Code)
}

// Is tells which of the errors above this one is, by its status.
func (e *APIError) Is(target error) bool {
	switch e.Status {
	case 401:
		return target == ErrAuthentication
	case 403:
		return target == ErrPermission
	case 404:
		return target == ErrNotFound
	case 409:
		return target == ErrConflict
	case 429:
		return target == ErrRateLimit
	case 400, 413, 415, 422:
		return target == ErrValidation
	}
	return e.Status >= 500 && target == ErrUnavailable
}

// connectionError keeps what went wrong below.
type connectionError struct {
	isLate bool
	cause  error
}

func (e *connectionError) Error() string {
	if e.isLate {
		return ErrTimeout.Error()
	}
	return fmt.Sprintf("%s: %v", ErrConnection.Error(), e.cause)
}

func (e *connectionError) Is(target error) bool {
	return target == ErrConnection || (e.isLate && target == ErrTimeout)
}

func (e *connectionError) Unwrap() error { return e.cause }
