package waitnote_test

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"fairbridge/bridge/actuator/waitnote"
	"fairbridge/bridge/slurm"
	"fairbridge/gear/policytest"
	"fairbridge/policy"
	"fairbridge/policy/catalogue"
)

var asOf = time.Date(2026, 11, 23, 14, 5, 59, 0, time.FixedZone("", 3600))

// TestTexts: what is written, byte for byte, and that it is read back.
func TestTexts(t *testing.T) {
	for _, c := range []struct {
		verb         policy.Verb
		place, count int
		partition    string
		want         string
	}{
		{policy.Wait, 3, 12, "gpu", "fairbridge 23 Nov 13:05 UTC: waits as 3rd of 12 in gpu; others are ahead of it"},
		{policy.Wait, 1, 12, "gpu", "fairbridge 23 Nov 13:05 UTC: waits as 1st of 12 in gpu; it is next for free GPUs"},
		{policy.Start, 1, 1, "gpu", "fairbridge 23 Nov 13:05 UTC: waits as 1st of 1 in gpu; it is to start now"},
		{policy.Hold, 11, 112, "gpu-a.b_c", "fairbridge 23 Nov 13:05 UTC: waits as 11th of 112 in gpu-a.b_c; it is held back for now"},
		{policy.Wait, 22, 112, "a partition", "fairbridge 23 Nov 13:05 UTC: waits as 22nd of 112; others are ahead of it"},
		{policy.Wait, 21, 112, "gpu;rm", "fairbridge 23 Nov 13:05 UTC: waits as 21st of 112; others are ahead of it"},
		{policy.Wait, 13, 112, strings.Repeat("p", 25), "fairbridge 23 Nov 13:05 UTC: waits as 13th of 112; others are ahead of it"},
	} {
		n := waitnote.New(&policy.Decision{Job: 7, Verb: c.verb, Why: "waits behind job 4711 of bob"}, c.place, c.count, c.partition, asOf)
		text := n.String()
		if text != c.want {
			t.Errorf("%q, want %q", text, c.want)
		}
		if back, ok := waitnote.Parse(text); !ok || back.String() != text || !back.SaysTheSame(n) {
			t.Errorf("%q is read back as %+v, %v", text, back, ok)
		}
	}
}

// TestLongestText: the longest text fits what is written at most.
func TestLongestText(t *testing.T) {
	for _, verb := range []policy.Verb{policy.Start, policy.Hold, policy.Wait} {
		text := waitnote.New(&policy.Decision{Verb: verb}, 1_000_000, 1_000_000, strings.Repeat("p", 24), asOf).String()
		if !slurm.IsAdminComment(text) {
			t.Errorf("%q has %d bytes", text, len(text))
		}
	}
}

// TestForeignTexts: what anybody else writes is not read as ours.
func TestForeignTexts(t *testing.T) {
	ours := waitnote.New(&policy.Decision{Verb: policy.Wait}, 3, 12, "gpu", asOf).String()
	for _, text := range []string{
		"", "checked by ops", ours + " ", " " + ours, ours + "\n", strings.Replace(ours, "3rd", "3th", 1), strings.Replace(ours, "3rd", "13rd", 1),
		strings.Replace(ours, "gpu", "gpu=1", 1), strings.Replace(ours, "others", "bob", 1), strings.Replace(ours, "3rd of 12", "3rd of 2", 1),
		strings.Replace(ours, "3rd", "0th", 1), strings.Replace(ours, "13:05", "33:05", 1),
	} {
		if n, ok := waitnote.Parse(text); ok {
			t.Errorf("%q is read as %+v", text, n)
		}
	}
}

// TestWhatIsWorthAWrite: the category, and places as far as an owner sees a difference.
func TestWhatIsWorthAWrite(t *testing.T) {
	at := func(verb policy.Verb, place int) waitnote.Note {
		return waitnote.New(&policy.Decision{Verb: verb}, place, 100, "gpu", asOf.Add(time.Duration(place)*time.Minute))
	}
	for _, c := range []struct {
		a, b waitnote.Note
		same bool
	}{
		{at(policy.Wait, 2), at(policy.Wait, 3), false},
		{at(policy.Wait, 3), at(policy.Wait, 4), false},
		{at(policy.Wait, 4), at(policy.Wait, 7), true},
		{at(policy.Wait, 7), at(policy.Wait, 8), false},
		{at(policy.Wait, 64), at(policy.Wait, 100), true},
		{at(policy.Wait, 5), at(policy.Hold, 5), false},
		{at(policy.Wait, 1), at(policy.Start, 1), false},
	} {
		if c.a.SaysTheSame(c.b) != c.same || c.b.SaysTheSame(c.a) != c.same {
			t.Errorf("%q and %q: the same %v", c.a, c.b, c.a.SaysTheSame(c.b))
		}
	}
}

// TestNoTextNamesAnybody: whatever any policy decides, the text has nothing of another job, user or
// account in it. It is built from words of its own, so it is looked at with all that is told taken
// out: what is left must be the same for every job.
func TestNoTextNamesAnybody(t *testing.T) {
	for _, e := range catalogue.Systems() {
		t.Run(e.Name, func(t *testing.T) {
			p, err := e.New(nil)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				s := policytest.GenerateSnapshots().Draw(t, "snapshot")
				disguise(s)
				plan, err := p.Decide(s)
				if err != nil {
					t.Skip(err)
				}
				for i := range plan.Decisions {
					d := &plan.Decisions[i]
					text := waitnote.New(d, 2, 9, "gpu", s.Now).String()
					if _, ok := waitnote.Parse(text); !ok {
						t.Fatalf("%q is not one of our texts", text)
					}
					if strings.Contains(text, "qq") {
						t.Fatalf("%q names somebody", text)
					}
					blank := *d
					blank.Job, blank.StoppedFor, blank.Why, blank.On = 0, 0, "", nil
					if other := waitnote.New(&blank, 2, 9, "gpu", s.Now).String(); other != text {
						t.Fatalf("%q tells more than the verb, %q", text, other)
					}
				}
			})
		})
	}
}

// disguise gives everybody a name that is found again.
func disguise(s *policy.Snapshot) {
	for i := range s.Jobs {
		j := &s.Jobs[i]
		j.User, j.Account, j.Name = "qq"+j.User, "qq"+j.Account, "qq"+j.Name
	}
	for i := range s.Accounts {
		s.Accounts[i].Name = "qq" + s.Accounts[i].Name
		if s.Accounts[i].Parent != "" {
			s.Accounts[i].Parent = "qq" + s.Accounts[i].Parent
		}
	}
	for i := range s.Users {
		s.Users[i].Name, s.Users[i].Account = "qq"+s.Users[i].Name, "qq"+s.Users[i].Account
	}
}
