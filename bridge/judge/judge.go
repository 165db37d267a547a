// Package judge says whether a view of Slurm is believed, before usage is
// recorded from it, intents are settled by it or anything is decided on it. It
// is pure: values in, values out.
//
// What is wrong with a view is seldom an error. A list that lost rights have
// filtered, one that was cut, and a clock that is off all look like good
// answers. So a view is compared with the clocks around it, with itself, and
// with the last view that was believed; and what it leaves out is gone only when
// Slurm, asked about that one job or node, says so.
package judge

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"fairbridge/bridge/slurm"
)

// Config bounds what is believed.
type Config struct {
	MaxClockSkew  time.Duration // largest difference between our clock and slurmctld's
	VanishPercent float64       // share of the live jobs beyond which it takes PollsToBelieveGone polls to believe that they are gone (percent)
	VanishFloor   int           // but never for so few (jobs)
	ShrinkPercent float64       // likewise share of the nodes (percent)
}

const (
	// MaxDatabaseSkew is the largest difference between slurmctld's clock and the
	// database's. Nothing is timed by the latter but leadership, so it may be
	// less exact; it tells when our clock and slurmctld's are wrong together.
	MaxDatabaseSkew = time.Minute
	// PollsToBelieveGone is how many polls in a row must show that much of the jobs or nodes
	// is gone, each of them by Slurm's own answer, before it is believed.
	PollsToBelieveGone = 3
)

// Input is what a view is judged by.
type Input struct {
	Config        Config
	View          *slurm.View
	LastGoodView  *slurm.View // the last view that was believed; nil: none
	PolledAt      time.Time   // our clock when View.At came in
	Now           time.Time   // our clock
	DatabaseTime  time.Time   // the database's clock, read at Now; zero: not known
	Answers       Answers     // about what the lists leave out
	HiddenReason  string      // why it proves nothing that Slurm does not know a job; "": it does
	ManyGonePolls int         // polls in a row before this one that had Verdict.AreManyGone
}

// Verdict is what is thought of a view. Without Doubts it is believed.
type Verdict struct {
	Doubts         []string // why the view is not believed: nothing may follow from it
	Cautions       []string // why nothing should be sent for now, although it is believed
	AreManyGone    bool     // much is gone, by Slurm's own answers; PollsToBelieveGone such polls in a row are believed
	ForgetLastGood bool     // LastGoodView was dated by a clock that was wrong: it is no reference any more
}

func (v *Verdict) addDoubt(format string, a ...any) {
	v.Doubts = append(v.Doubts, fmt.Sprintf(format, a...))
}

func (v *Verdict) addCaution(format string, a ...any) {
	v.Cautions = append(v.Cautions, fmt.Sprintf(format, a...))
}

// JudgeClocks judges the times alone. A view that fails here is not worth a question.
func JudgeClocks(in Input) Verdict {
	var out Verdict
	out.compareClocks(&in)
	return out
}

// JudgeView judges a view.
func JudgeView(in Input) Verdict {
	out := JudgeClocks(in)
	if len(out.Doubts) > 0 {
		return out // the rest compares times
	}
	out.checkLists(&in)
	out.checkSlurmRestart(&in)
	return out
}

// compareClocks compares the clocks. The reasons exclude each other, or the first is
// enough.
func (v *Verdict) compareClocks(in *Input) {
	at, good := in.View.At, in.LastGoodView
	off := at.Sub(in.PolledAt)                   // slurmctld's clock before ours
	base := off - in.DatabaseTime.Sub(in.Now)    // slurmctld's clock before the database's
	future := in.Now.Add(in.Config.MaxClockSkew) // nothing may be dated later
	behind := good != nil && at.Before(good.At)
	switch {
	case at.IsZero() || in.PolledAt.IsZero():
		v.addDoubt("the view has no time")
	case off.Abs() > in.Config.MaxClockSkew:
		v.addDoubt("slurmctld's clock is %v from ours, the most is %v: run chrony or systemd-timesyncd on both hosts", off.Round(time.Second), in.Config.MaxClockSkew)
	case !in.DatabaseTime.IsZero() && base.Abs() > MaxDatabaseSkew:
		v.addDoubt("slurmctld's clock is %v from the database's, the most is %v: run chrony or systemd-timesyncd on both hosts", base.Round(time.Second), MaxDatabaseSkew)
	case behind && good.At.After(future):
		v.ForgetLastGood = true
		v.addDoubt("the last view is dated %s, which is still to come: a clock was wrong then", good.At.UTC().Format(time.RFC3339))
	case behind:
		v.addDoubt("slurmctld's clock went back %v", good.At.Sub(at).Round(time.Second))
	}
}

// checkSlurmRestart cautions of what happened to Slurm since the last good view that makes it
// wise to look once more before sending anything.
func (v *Verdict) checkSlurmRestart(in *Input) {
	now, good := in.View, in.LastGoodView
	if good == nil {
		return
	}
	if !now.ControllerStart.IsZero() && !good.ControllerStart.IsZero() && !now.ControllerStart.Equal(good.ControllerStart) {
		v.addCaution("slurmctld restarted at %s", now.ControllerStart.UTC().Format(time.RFC3339))
	}
	if n := countRolledBackJobs(now, good); n > 0 {
		v.addCaution("%d jobs were restarted fewer times than before: Slurm's state went back", n)
	}
}

// countRolledBackJobs counts the jobs that were restarted fewer times than before.
func countRolledBackJobs(now, good *slurm.View) int {
	n := 0
	for i := range good.Jobs {
		b := &good.Jobs[i]
		if j := now.Job(b.ID); j != nil && j.Restarts < b.Restarts && j.UserID == b.UserID && !j.Submit.After(b.Submit) {
			n++
		}
	}
	return n
}

// Answer is what Slurm says about one job or node.
type Answer string

// The answers. No answer is "".
const (
	AnswerGone    Answer = "gone"  // Slurm does not know it
	AnswerPresent Answer = "there" // it is there, whatever its state
)

// Answers are what Slurm says about single jobs, by id, and nodes, by name, that
// a view leaves out.
type Answers struct {
	AnswerByJob  map[int64]Answer
	AnswerByNode map[string]Answer
}

// missingByAnswer is what is missing by its answers, and what else was asked about
// and is there.
type missingByAnswer struct {
	goneCount                     int
	presentNames, unansweredNames []string
}

func groupByAnswer[K cmp.Ordered](missing []K, answers map[K]Answer) missingByAnswer {
	var c missingByAnswer
	for _, k := range missing {
		switch answers[k] {
		case AnswerGone:
			c.goneCount++
		case "":
			c.unansweredNames = append(c.unansweredNames, fmt.Sprint(k))
		}
	}
	for _, k := range slices.Sorted(maps.Keys(answers)) {
		if answers[k] == AnswerPresent {
			c.presentNames = append(c.presentNames, fmt.Sprint(k))
		}
	}
	return c
}
