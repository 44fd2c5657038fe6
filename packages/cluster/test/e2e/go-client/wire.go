package main

import (
	"context"
	"mime"
	"net/http"
	"sort"
	"sync"
)

// wire remembers how the clients spoke with the server, since client-go falls back in silence: to a plain list where
// WatchList is refused, for example.
type wire struct {
	mutex             sync.Mutex
	sent, received    set
	streamed, refused int
}

type set map[string]bool

func (s *set) add(item string) {
	if *s == nil {
		*s = set{}
	}
	(*s)[item] = true
}

func (s set) sorted() []string {
	items := []string{}
	for item := range s {
		items = append(items, item)
	}
	sort.Strings(items)
	return items
}

func (w *wire) around(next http.RoundTripper) http.RoundTripper {
	return roundTripper(func(request *http.Request) (*http.Response, error) {
		response, err := next.RoundTrip(request)
		if err != nil {
			return response, err
		}
		w.mutex.Lock()
		defer w.mutex.Unlock()
		if request.Method == http.MethodPost || request.Method == http.MethodPatch || request.Method == http.MethodPut {
			w.sent.add(request.Method + " " + request.Header.Get("Content-Type"))
		}
		// A refusal may be plain text: a real server answers a request for a new custom resource so until its routes
		// are up, and client-go asks again. What counts is the encoding of answers.
		if mediaType, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); response.StatusCode < 300 {
			w.received.add(mediaType)
		}
		if request.URL.Query().Get("sendInitialEvents") == "true" {
			if response.StatusCode == http.StatusOK {
				w.streamed++
			} else {
				w.refused++
			}
		}
		return response, nil
	})
}

func (w *wire) summary(context.Context) (fact, error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return fact{
		"sent":                w.sent.sorted(),
		"received":            w.received.sorted(),
		"listsStreamed":       w.streamed,
		"listsStreamedInVain": w.refused,
	}, nil
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
