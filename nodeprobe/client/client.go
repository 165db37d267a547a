// Package client pulls samples from the probes of many nodes: in parallel,
// within a deadline, believing no reply that is too large, garbled or of
// another node.
package client

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"fairbridge/nodeprobe"
	"fairbridge/nodeprobe/secure"
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

// SamplePath is where a probe serves its sample.
const SamplePath = "/v1/sample"

func (c *Client) pullNode(ctx context.Context, node, address string) (nodeprobe.Sample, error) {
	ctx, cancel := context.WithTimeout(ctx, c.Timeout)
	defer cancel()
	body, err := c.fetchBody(ctx, address)
	if err != nil {
		return nodeprobe.Sample{}, err
	}
	return decodeSample(body, node)
}

// fetchBody returns the reply's body, whole or not at all.
func (c *Client) fetchBody(ctx context.Context, address string) ([]byte, error) {
	ctx, url := requestURL(ctx, address)
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, fmt.Errorf("address %q: %w", address, err)
	}
	token, nonce := "", ""
	if c.Token != nil {
		if token, err = c.Token(); err != nil {
			return nil, err
		}
		nonce = secure.AddProof(req, token)
	}
	res, err := c.httpClient.Do(req)
	if err != nil {
		return nil, explainTimeout(err)
	}
	defer res.Body.Close()
	if res.StatusCode == http.StatusUnauthorized {
		return nil, fmt.Errorf("%s wants a token, or another one: see probes.token_file", url)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %s: is it a probe?", url, res.Status)
	}
	body, err := c.readBounded(res.Body)
	if err == nil && c.Token != nil {
		err = secure.CheckProof(req.URL.Path, res.Header, body, token, nonce)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", url, err)
	}
	return body, nil
}

func (c *Client) readBounded(r io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(r, c.MaxAnswerBytes+1))
	if err != nil {
		return nil, fmt.Errorf("reading the sample: %w", explainTimeout(err))
	}
	if int64(len(body)) > c.MaxAnswerBytes {
		return nil, fmt.Errorf("the sample is larger than %d bytes", c.MaxAnswerBytes)
	}
	return body, nil
}

// decodeSample believes a sample only of the node that was asked: a wrong address
// must not move one node's measurements to another.
func decodeSample(body []byte, node string) (nodeprobe.Sample, error) {
	var s nodeprobe.Sample
	if err := json.Unmarshal(body, &s); err != nil {
		return nodeprobe.Sample{}, fmt.Errorf("reading the sample: %w", err)
	}
	if s.Node != node {
		return nodeprobe.Sample{}, fmt.Errorf("the probe there says it is of node %q: check its --node and the address", s.Node)
	}
	return s, nil
}

type socketPathKey struct{}

// requestURL returns the URL of a sample; for a socket, the context carries its path
// to the dialer.
func requestURL(ctx context.Context, address string) (context.Context, string) {
	if path, ok := strings.CutPrefix(address, "unix:"); ok {
		path = "/" + strings.TrimLeft(path, "/")
		return context.WithValue(ctx, socketPathKey{}, path), "http://probe" + SamplePath
	}
	return ctx, strings.TrimRight(address, "/") + SamplePath
}

// newTransport keeps no connection: a probe is asked every cycle or less, and
// thousands of idle connections are worth nothing.
func newTransport(parallel int, secure *tls.Config) http.RoundTripper {
	dialer := &net.Dialer{}
	return &http.Transport{
		DisableKeepAlives: true, MaxConnsPerHost: parallel, ResponseHeaderTimeout: time.Minute,
		MaxResponseHeaderBytes: 64 << 10, TLSClientConfig: secure, TLSHandshakeTimeout: time.Minute,
		DialContext: func(ctx context.Context, network, addr string) (net.Conn, error) {
			if path, ok := ctx.Value(socketPathKey{}).(string); ok {
				return dialer.DialContext(ctx, "unix", path)
			}
			return dialer.DialContext(ctx, network, addr)
		},
	}
}

func refuseRedirect(*http.Request, []*http.Request) error {
	return errors.New("it redirects elsewhere: refused")
}

// explainTimeout says what to try where a probe did not answer in time.
func explainTimeout(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return errors.New("no answer in time: is nodeprobe running there, and the port open?")
	}
	return err
}
