package policytest

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"fairbridge/policy"
)

// reasonOpenings are how the reason of a decision may begin, by verb: it says what is decided,
// in the words of the verb.
var reasonOpenings = map[policy.Verb][]string{
	policy.Start:  {"starts "},
	policy.Keep:   {"keeps ", "runs on: ", "runs on until ", "the plan was refused: "},
	policy.Wait:   {"waits ", "cannot start: ", "is not counted on to start: ", "may not start before ", "the plan was refused: "},
	policy.Hold:   {"is held back"},
	policy.Stop:   {"gives way on ", "leaves "},
	policy.Move:   {"moves from "},
	policy.Resize: {"runs on "},
}

var (
	// runningJobText is what a reason says only of a job that runs or starts.
	runningJobText = regexp.MustCompile(`\b(it|this job|this task) (starts|keeps|runs now|runs on)\b`)
	// waitingJobText is what a reason says only of a job that does not run, or will not.
	waitingJobText = regexp.MustCompile(`\b(it|this job|this task) (waits|is held|gives way|cannot (start|run)|leaves)\b|^(waits|cannot start|is held back|gives way|leaves)\b`)
	// commandText commands, where a reason is to say what is so.
	commandText = regexp.MustCompile(`\bmust (run|start|wait|be (stopped|started|held|kept))\b|\b(nobody|no job) may (delay|pass|stop)\b`)
	// rawNumberText is a duration or a count as only a program prints it.
	rawNumberText = regexp.MustCompile(`\d+h\d+m\d+(\.\d+)?s|\d+m0s|\b1 (GPUs|jobs|nodes|rounds|tasks|cores)\b|%!`)
)

// CheckReason says where the reason of a decision contradicts its verb or itself: it begins
// with another verb, says in a later clause what is not so of a job with this one, or
// commands what is not done. It says so too where a number is not printed as people say it.
// nil: the reason is sound.
func CheckReason(d *policy.Decision) error {
	if !slices.ContainsFunc(reasonOpenings[d.Verb], func(opening string) bool { return strings.HasPrefix(d.Why, opening) }) {
		return fmt.Errorf("job %d: the reason does not begin as that of the verb %s: %q", d.Job, d.Verb, d.Why)
	}
	if found := rawNumberText.FindString(d.Why); found != "" {
		return fmt.Errorf("job %d: %q in %q", d.Job, found, d.Why)
	}
	wrong := waitingJobText
	if d.Verb == policy.Wait || d.Verb == policy.Hold || d.Verb == policy.Stop {
		wrong = runningJobText
	}
	for _, clause := range strings.Split(d.Why, "; ")[1:] {
		clause = strings.TrimPrefix(clause, "its rank: ")
		if wrong.MatchString(clause) || commandText.MatchString(clause) {
			return fmt.Errorf("job %d is to %s, and its reason contradicts that by %q: %q", d.Job, d.Verb, clause, d.Why)
		}
	}
	return nil
}
