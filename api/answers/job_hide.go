package answers

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"fairbridge/api"
	"fairbridge/api/answers/lastcycle"
	"fairbridge/bridge"
	"fairbridge/bridge/slurm"
)

// hideInJob hides in a story what is not the viewer's to see.
func (w *request) hideInJob(e *api.Job, o owner) {
	if w.HidesNothing() && w.SeesNodes() {
		return
	}
	if !w.SeesPlace(o.user, o.account) {
		hidePlaces(w, e)
	}
	seesWhy := w.SeesWhy(o.user, o.account)
	for i := range e.Decisions {
		d := &e.Decisions[i]
		if d.Why = w.Hide(d.Why); !seesWhy {
			d.Why = whyHidden
		}
		if d.ForJob != 0 && !w.SeesJobNamed(fmt.Sprint(d.ForJob)) {
			d.ForJob = 0
		}
	}
	for i := range e.Intents {
		w.hideInIntent(&e.Intents[i], seesWhy)
	}
	e.NotPushed = w.HideAll(e.NotPushed)
	if !seesWhy {
		e.NotPushed, e.SmallerRequests, e.Directive = nil, nil, ""
		e.Size, e.Deadline = hideSpeed(e.Size), nil
	}
	e.Directive = w.Hide(e.Directive)
}

// hidePlaces hides where a job ran, runs or would run.
func hidePlaces(w *request, e *api.Job) {
	for i := range e.Runs {
		e.Runs[i].Nodes, e.Runs[i].Reason = "", hidePlace(w, e.Runs[i].Reason)
	}
	for i := range e.Decisions {
		e.Decisions[i].Placement, e.Decisions[i].Why = "", hidePlace(w, e.Decisions[i].Why)
	}
	for i := range e.Intents {
		hideNodesOfIntent(w, &e.Intents[i])
	}
	for i := range e.NotPushed {
		e.NotPushed[i] = hidePlace(w, e.NotPushed[i])
	}
	e.Directive = hidePlace(w, e.Directive)
	if e.Live != nil {
		e.Live.Nodes, e.Live.RequiredNodes, e.Live.ExcludedNodes, e.Live.Reason = "", "", "", hidePlace(w, e.Live.Reason)
	}
}

// placeHidden stands for a sentence that tells where a job runs or would.
const placeHidden = "the reason names nodes, which are private here"

// hidePlace returns the sentence, or where it may name a node other words.
func hidePlace(w *request, text string) string {
	if namesNode(w, text) {
		return placeHidden
	}
	return text
}

// withoutPlace returns a row of the queue whose sentences do not tell where the job runs or would.
func withoutPlace(w *request, r *api.QueueJob) *api.QueueJob {
	out := *r
	out.Placement, out.Why, out.Reason, out.NotPushed = "", hidePlace(w, r.Why), hidePlace(w, r.Reason), slices.Clone(r.NotPushed)
	for i := range out.NotPushed {
		out.NotPushed[i] = hidePlace(w, out.NotPushed[i])
	}
	return &out
}

// namesNode reports whether a sentence may name a node: that of a last cycle stands in it, or a list such as
// n[1-3] does. Where the nodes of a cycle are not known, every sentence may.
func namesNode(w *request, text string) bool {
	if text == "" {
		return false
	}
	isUnknown := func(c *lastcycle.Cycle) bool { return c.Snapshot == nil }
	if len(w.cycles) == 0 || strings.Contains(text, "[") || slices.ContainsFunc(w.cycles, isUnknown) {
		return true
	}
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.", r)
	}) {
		word = strings.TrimRight(word, "-.")
		if slices.ContainsFunc(w.cycles, func(c *lastcycle.Cycle) bool { return c.Snapshot.Node(word) != nil }) {
			return true
		}
	}
	return false
}

// hideInIntent hides in a change of a job what is of others.
func (w *request) hideInIntent(in *bridge.Intent, seesWhy bool) {
	if in.Edit.Why = w.Hide(in.Edit.Why); !seesWhy {
		in.Edit.Why = whyHidden
	}
	in.Error, in.Before.Rewritten = w.Hide(in.Error), w.Hide(in.Before.Rewritten)
	if stop := in.Before.Stop; stop != nil {
		hidden := *stop
		if !w.SeesJobNamed(fmt.Sprint(stop.Beneficiary)) {
			hidden.Beneficiary = 0
		}
		in.Before.Stop = &hidden
	}
}

// hideNodesOfIntent hides which nodes a change is about.
func hideNodesOfIntent(w *request, in *bridge.Intent) {
	in.Edit.Why, in.Error, in.Before.Rewritten = hidePlace(w, in.Edit.Why), hidePlace(w, in.Error), hidePlace(w, in.Before.Rewritten)
	in.Edit.Nodes, in.Before.Required, in.Before.Excluded = nil, slurm.Hosts{}, slurm.Hosts{}
}
