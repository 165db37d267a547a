package topcommand

import (
	"context"
	"io"
	"time"

	"fairbridge/cmd/fairbridge/ask"
	"fairbridge/cmd/internal/source"
)

// subject is something that the screen may show: a view of the cluster, or one job.
type subject struct {
	name    string        // by which it is called up: queue; of a job with its address: explain 4711
	aliases []string      // other names of a view
	about   string        // what a view shows, for the help
	every   time.Duration // it is asked about no more often, since the answer is dear
	narrow  []string      // columns that are left out where there is no room, the first first

	read func(ctx context.Context, s source.Source, now time.Time) (any, error) // nil: it does not change
	list func(answer any, now time.Time) ask.List                               // nil: it is a text
	// text writes what stands below the list, or the text itself.
	text func(w io.Writer, answer any, c circumstances)
	// details writes more of the row that a key belongs to; nil: the row is written out.
	details func(w io.Writer, answer any, key string)
}

// circumstances are what texts hang on besides the answer.
type circumstances struct {
	now     time.Time
	isLocal bool // the record is read, and no daemon asked
}

// withList gives a subject functions of the type that it reads.
func withList[T any](s subject, read func(ctx context.Context, s source.Source, now time.Time) (T, error), list func(T, time.Time) ask.List, notes func(io.Writer, T, circumstances)) *subject {
	withText(&s, read, notes)
	s.list = func(answer any, now time.Time) ask.List { return list(answer.(T), now) }
	return &s
}

func withText[T any](s *subject, read func(ctx context.Context, s source.Source, now time.Time) (T, error), text func(io.Writer, T, circumstances)) *subject {
	s.read = func(ctx context.Context, from source.Source, now time.Time) (any, error) { return read(ctx, from, now) }
	s.text = func(w io.Writer, answer any, c circumstances) { text(w, answer.(T), c) }
	return s
}

// newFixedText is a text that does not change.
func newFixedText(name string, write func(w io.Writer)) *subject {
	return &subject{name: name, text: func(w io.Writer, _ any, _ circumstances) { write(w) }}
}
