package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// diary is what services did, in order.
type diary []string

// service notes its beginning, and its end when told to end.
func (d *diary) service(name string, begun chan<- string) Service {
	return Service{name, func(ctx context.Context) error {
		begun <- name
		<-ctx.Done()
		*d = append(*d, name) // no race: services end one after another
		return nil
	}}
}

func TestServicesEndInTheOppositeOrder(t *testing.T) {
	var ended diary
	begun := make(chan string, 3)
	g := ServiceGroup{StopTimeout: time.Minute, Services: []Service{
		ended.service("database", begun), ended.service("journal", begun), ended.service("cycles", begun),
	}}
	ctx, end := context.WithCancel(t.Context())
	go func() {
		for range 3 {
			<-begun
		}
		end()
	}()
	if err := g.Run(ctx); err != nil {
		t.Error(err)
	}
	if want := (diary{"cycles", "journal", "database"}); !slices.Equal(ended, want) {
		t.Errorf("ended in the order %v, want %v", ended, want)
	}
}

func TestAServiceThatEndsEndsAll(t *testing.T) {
	for name, c := range map[string]struct {
		run   func(context.Context) error
		wants []string // in the error; none: no error
	}{
		"it is done": {func(context.Context) error { return nil }, nil},
		"it fails":   {func(context.Context) error { return errors.New("disk full") }, []string{"samples: disk full"}},
		"it panics":  {func(context.Context) error { panic("no such row") }, []string{"samples: panic: no such row\n", "group_test.go"}},
	} {
		t.Run(name, func(t *testing.T) {
			var ended diary
			begun := make(chan string, 2)
			g := ServiceGroup{StopTimeout: time.Minute, Services: []Service{
				ended.service("database", begun), {"samples", c.run}, ended.service("cycles", begun),
			}}
			err := g.Run(t.Context())
			if len(c.wants) == 0 && err != nil {
				t.Error(err)
			}
			for _, want := range c.wants {
				if err == nil || strings.Count(err.Error(), want) == 0 {
					t.Errorf("error %v, want %q in it", err, want)
				}
			}
			if err != nil && strings.Count(err.Error(), "samples:") != 1 {
				t.Errorf("it is not named once: %v", err)
			}
			if want := (diary{"cycles", "database"}); !slices.Equal(ended, want) {
				t.Errorf("ended: %v, want %v", ended, want)
			}
		})
	}
}

func TestAServiceThatDoesNotEndIsNotWaitedForLongerThanAllowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended diary
		release := make(chan struct{})
		g := ServiceGroup{StopTimeout: time.Minute, Services: []Service{
			ended.service("database", make(chan string, 1)),
			{"samples", func(context.Context) error { <-release; return nil }},
			{"cycles", func(context.Context) error { return errors.New("lost") }},
		}}
		begin := time.Now()
		err := g.Run(t.Context())
		if want := "cycles: lost\nsamples did not end within 1m0s"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
		if took := time.Since(begin); took != time.Minute {
			t.Errorf("it took %v", took)
		}
		if want := (diary{"database"}); !slices.Equal(ended, want) {
			t.Errorf("ended: %v, want %v", ended, want)
		}
		close(release)
	})
}

func TestServicesGoOnWhileOthersEnd(t *testing.T) {
	journal := make(chan string)
	g := ServiceGroup{StopTimeout: time.Minute, Services: []Service{
		{"journal", func(ctx context.Context) error {
			for {
				select {
				case <-journal:
				case <-ctx.Done():
					return nil
				}
			}
		}},
		{"cycles", func(ctx context.Context) error {
			<-ctx.Done()
			journal <- "the call under way" // hangs if the journal had ended
			return nil
		}},
	}}
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := g.Run(ctx); err != nil {
		t.Error(err)
	}
}

func TestEvery(t *testing.T) {
	for _, c := range []struct {
		first time.Duration
		want  []time.Duration
	}{
		{0, []time.Duration{0, 70 * time.Second, 140 * time.Second}},
		{time.Minute, []time.Duration{time.Minute, 130 * time.Second}},
		{20 * time.Second, []time.Duration{20 * time.Second, 90 * time.Second, 160 * time.Second}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ctx, end := context.WithTimeout(t.Context(), 3*time.Minute)
			defer end()
			begin := time.Now()
			var at []time.Duration
			err := runEvery(ctx, c.first, time.Minute, func() {
				at = append(at, time.Since(begin))
				time.Sleep(10 * time.Second)
			})
			if err != nil || !slices.Equal(at, c.want) {
				t.Errorf("first after %v: at %v, %v, want %v", c.first, at, err, c.want)
			}
		})
	}
}

// TestUpkeepIsNotPutOff: a daemon that never lives for an hour drops old rows all the same.
func TestUpkeepIsNotPutOff(t *testing.T) {
	if firstUpkeep > 15*time.Minute {
		t.Errorf("old rows are dropped first after %v", firstUpkeep)
	}
}
