package turnpike

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"
)

// Iterator reads a list as it is looped over, page by page:
//
//	payments := client.Payments(turnpike.PaymentsFilter{})
//	for payments.Next(ctx) {
//		fmt.Println(payments.Item().OrderID)
//	}
//	if err := payments.Err(); err != nil { … }
type Iterator[T any] struct {
	client  *Client
	name    string
	path    map[string]string
	query   url.Values
	options []CallOption
	page    []item[T]
	at      int
	isLast  bool
	err     error
}

// page is one page of any list.
type page[T any] struct {
	Items      []item[T] `json:"items"`
	HasMore    bool      `json:"hasMore"`
	Pagination *struct {
		NextCursor *string `json:"nextCursor"`
		HasMore    bool    `json:"hasMore"`
	} `json:"pagination"`
}

// item is one of a list, with the number that the log of events goes on after, into whatever type it is read.
type item[T any] struct {
	value    T
	sequence *int
}

func (i *item[T]) UnmarshalJSON(text []byte) error {
	var numbered struct {
		Sequence *int `json:"sequence"`
	}
	if json.Unmarshal(text, &numbered) == nil {
		i.sequence = numbered.Sequence
	}
	return json.Unmarshal(text, &i.value)
}

// Items reads any list by the name of its operation, other than those below an id, which have methods of their own.
func Items[T any](client *Client, name string, query url.Values, options ...CallOption) *Iterator[T] {
	own := url.Values{}
	for name, values := range query {
		own[name] = values
	}
	return &Iterator[T]{client: client, name: name, query: own, options: options, at: -1}
}

// Next goes on to the next item, and tells whether there is one.
func (i *Iterator[T]) Next(ctx context.Context) bool {
	for i.at++; i.at >= len(i.page); i.at = 0 {
		if i.isLast || i.err != nil {
			return false
		}
		i.err = i.read(ctx)
	}
	return i.err == nil
}

// Item is the one that Next went on to.
func (i *Iterator[T]) Item() T { return i.page[i.at].value }

// Err is what ended the loop; nil after the last item.
func (i *Iterator[T]) Err() error { return i.err }

func (i *Iterator[T]) read(ctx context.Context) error {
	var read page[T]
	err := i.client.Call(ctx, i.name, Request{Path: i.path, Query: i.query}, &read, i.options...)
	if err != nil {
		i.page = nil
		return err
	}
	i.page = read.Items
	i.isLast = len(read.Items) == 0
	if read.Pagination != nil {
		i.isLast = i.isLast || !read.Pagination.HasMore || read.Pagination.NextCursor == nil
		if !i.isLast {
			i.query.Set("cursor", *read.Pagination.NextCursor)
		}
		return nil
	}
	i.isLast = i.isLast || !read.HasMore
	if i.isLast {
		return nil
	}
	last := read.Items[len(read.Items)-1].sequence
	if last == nil {
		return errors.New("turnpike: the list goes on, and does not say where")
	}
	i.query.Set("after", strconv.Itoa(*last))
	return nil
}
