package topcommand

import (
	"context"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"fairbridge/api"
	"fairbridge/api/page/recording"
	"fairbridge/cmd/internal/screenshottest"
	"fairbridge/cmd/internal/source"
)

// recorded answers from the recording that is part of the program.
type recorded struct {
	source.Source
	rec *recording.Recording
}

func (r recorded) Queue(ctx context.Context, q api.QueueQuery) (*api.Queue, error) {
	return r.rec.Queue(ctx, q)
}

func (r recorded) Job(ctx context.Context, address string) (*api.Job, error) {
	return r.rec.Job(ctx, address)
}

func (r recorded) Nodes(ctx context.Context, q api.NodeQuery) (*api.Nodes, error) {
	return r.rec.Nodes(ctx, q)
}

// TestScreenshot shows queue, an explanation and nodes of the recorded day, and takes pictures of them where they are
// wanted.
func TestScreenshot(t *testing.T) {
	rec, err := recording.Demo()
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{now: rec.At}
	s.fakeEffects = &fakeEffects{asker: &asker{ctx: t.Context(), source: recorded{rec: rec}, now: func() time.Time { return s.now }}}
	s.model = newModel(s.fakeEffects, findView("queue"), rec.At)
	s.model.where, s.hasColours = "a recording", true
	s.Update(tea.WindowSizeMsg{Width: 132, Height: 24})
	s.Init()
	s.answer()
	for _, p := range []struct{ name, keys, want string }{{"top-queue", "", "waits as 1st"}, {"top-explain", "e", `"experiment-wide" of carol`}, {"top-nodes", "esc :nodes enter", "32 GPUs"}} {
		s.keys(p.keys)
		s.answer()
		text := s.draw()
		if !strings.Contains(text, p.want) {
			t.Fatalf("%s shows no %q:\n%s", p.name, p.want, text)
		}
		t.Run(p.name, func(t *testing.T) {
			screenshottest.Take(t, screenshottest.Terminal(text), 1140, 450, p.name)
		})
	}
}
