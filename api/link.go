package api

import "time"

// Link is an address that shows a browser's owner to be its viewer, once.
type Link struct {
	URL   string    `json:"url"`
	Until time.Time `json:"until"`
}
