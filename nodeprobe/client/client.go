package client

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"fairbridge/nodeprobe"
)

// The defaults of a Client.
const (
	DefaultTimeout        = 3 * time.Second
	DefaultMaxParallel    = 32
	DefaultMaxAnswerBytes = 1 << 20
)

// Config says how probes are asked. Zero fields take the defaults.
type Config struct {
	Timeout        time.Duration // for one node, connecting included
	MaxParallel    int           // nodes asked at once
	MaxAnswerBytes int64         // a reply larger than this is refused

	TLS   *tls.Config            // for https; nil: the system's authorities
	Token func() (string, error) // that both sides prove to know; nil: none, and whoever answers is believed
}

// Client asks probes. It is safe for concurrent use.
type Client struct {
	Config
	httpClient http.Client
}

// New returns a client.
func New(c Config) *Client {
	c.Timeout = positiveOr(c.Timeout, DefaultTimeout)
	c.MaxParallel = positiveOr(c.MaxParallel, DefaultMaxParallel)
	c.MaxAnswerBytes = positiveOr(c.MaxAnswerBytes, DefaultMaxAnswerBytes)
	return &Client{Config: c, httpClient: http.Client{Transport: newTransport(c.MaxParallel, c.TLS), CheckRedirect: refuseRedirect}}
}

func positiveOr[T int | int64 | time.Duration](v, otherwise T) T {
	if v > 0 {
		return v
	}
	return otherwise
}

// PullSamples asks the probe of every node of the map, from node name to address: an
// http URL, or unix:/path/of/socket. It returns the samples of those that
// answered; the error joins the others, by node.
func (c *Client) PullSamples(ctx context.Context, nodes map[string]string) (map[string]nodeprobe.Sample, error) {
	var mu sync.Mutex
	got := make(map[string]nodeprobe.Sample, len(nodes))
	names := slices.Sorted(maps.Keys(nodes))
	errs := make([]error, len(names))
	var g errgroup.Group
	g.SetLimit(c.MaxParallel)
	for i, name := range names {
		g.Go(func() error {
			s, err := c.pullNode(ctx, name, nodes[name])
			if err != nil {
				errs[i] = fmt.Errorf("probe of node %s: %w", name, err)
				return nil
			}
			mu.Lock()
			defer mu.Unlock()
			got[name] = s
			return nil
		})
	}
	_ = g.Wait() // no function returns one
	return got, errors.Join(errs...)
}
