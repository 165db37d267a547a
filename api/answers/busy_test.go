package answers_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"fairbridge/api"
	"fairbridge/api/answers"
	"fairbridge/policy"
)

// slowPolicy decides when it is let.
type slowPolicy struct {
	policy.Policy
	begun, goOn chan struct{}
}

func (p *slowPolicy) Decide(s *policy.Snapshot) (*policy.Plan, error) {
	p.begun <- struct{}{}
	<-p.goOn
	return p.Policy.Decide(s)
}

// Who waits too long for the turn of a long computation is told so; neither other answers nor the daemon's
// cycle wait for it.
func TestALongComputationKeepsNobodyElse(t *testing.T) {
	s := newSite(t, "fifo")
	s.busy()
	r := s.step()
	slow := &slowPolicy{s.config.Partitions[0].DecidingPolicy, make(chan struct{}), make(chan struct{})}
	s.config.Partitions[0].DecidingPolicy = slow
	s.restart()
	done := make(chan error, 1)
	go func() {
		_, err := s.service.When(context.WithoutCancel(t.Context()), annie, api.WhenQuery{GPUs: 8, Limit: time.Hour})
		done <- err
	}()
	<-slow.begun
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := s.service.When(ctx, bobby, api.WhenQuery{GPUs: 4, Limit: time.Hour})
	codeIs(t, "another's", err, api.CodeUnavailable)
	_, err = s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 4, Limit: time.Hour})
	codeIs(t, "a second of the same user", err, api.CodeTooMany)
	s.service.NoteCycle(&r)
	if q, err := s.service.Queue(t.Context(), annie, api.QueueQuery{}); err != nil || q.Total != 4 {
		t.Errorf("%+v, %v", q, err)
	}
	close(slow.goOn)
	must(t, <-done)
	if _, err = s.service.When(t.Context(), annie, api.WhenQuery{GPUs: 8, Limit: time.Hour}); err != nil {
		t.Error(err) // known of this cycle: the policy is not asked again
	}
}

// Requests side by side, while the daemon hands cycles over, see whole cycles.
func TestAnswersSideBySide(t *testing.T) {
	s := newSite(t, "fifo")
	ann, _ := s.busy()
	r := s.step()
	s.restart()
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for range 5 {
				q, err := s.service.Queue(t.Context(), annie, api.QueueQuery{})
				if err != nil || q.Total != 4 {
					t.Errorf("%+v, %v", q, err)
				}
				if _, err := s.service.Job(t.Context(), annie, fmt.Sprint(ann)); err != nil {
					t.Error(err)
				}
				if i == 0 {
					s.service.NoteCycle(&r)
				}
			}
		})
	}
	all.Wait()
}

// The loop goes on while requests work on what it handed over: the race detector sees that neither changes what
// the other reads.
func TestAnswersWhileTheLoopGoesOn(t *testing.T) {
	s := newSite(t, "fairbridge")
	ann, bob := s.busy()
	r := s.step()
	at := s.now()
	service := answers.New(s.config, answers.Parts{Record: s.db, Slurm: noSlurm{}, Privacy: func() api.Privacy { return api.AllPrivate("test") }, Now: func() time.Time { return at }})
	service.NoteCycle(&r)
	ended := make(chan struct{})
	var all sync.WaitGroup
	for i, viewer := range []api.Viewer{annie, bobby} { // of each user one at a time is worked out: each asks about their own job
		all.Go(func() {
			for k := 0; ; k++ {
				select {
				case <-ended:
					return
				default:
				}
				if _, err := service.When(t.Context(), viewer, api.WhenQuery{GPUs: 8, Limit: time.Duration(60+10*k+i) * time.Minute}); err != nil {
					t.Error(err)
				}
				if _, err := service.Job(t.Context(), viewer, fmt.Sprint([]int64{ann, bob}[i])); err != nil {
					t.Error(err)
				}
				if _, err := service.Nodes(t.Context(), operator, api.NodeQuery{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for range 6 {
		r := s.step()
		service.NoteCycle(&r)
	}
	close(ended)
	all.Wait()
}

// Names that users chose break no answer and no filter.
func TestHostileNames(t *testing.T) {
	s := newSite(t, "carbyne")
	const name = "x\x1b[31m'; drop table fairbridge.cycles; -- </script>\u202e\xff account bobaccount/bobby/"
	for range 2 {
		s.submitNamed("bobby", "bobaccount", 8, name)
	}
	s.step()
	s.submitNamed("bobby", "bobaccount", 8, name)
	ann := s.submitNamed("annie", "annaccount", 8, "account bobaccount/bobby/x; job 1 "+name)
	s.step()
	s.step()
	s.private = api.AllPrivate("test")
	j, err := s.service.Job(t.Context(), annie, fmt.Sprint(ann))
	must(t, err)
	for i := range j.Runs { // its own name is its owner's
		j.Runs[i].Name = ""
	}
	lacks(t, "ann's job", jsonOf(t, j), "drop table", "bobby", "bobaccount")
	q, err := s.service.Queue(t.Context(), annie, api.QueueQuery{Users: []string{name}})
	must(t, err)
	if q.Total != 0 {
		t.Errorf("%+v", q)
	}
}
