package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readServedVersions reads the API versions of slurmctld's part of an OpenAPI document.
func readServedVersions(r io.Reader) ([]int, error) {
	var doc struct {
		Paths map[string]json.RawMessage `json:"paths"`
	}
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("the OpenAPI document: %w", err)
	}
	var list []int
	for path := range doc.Paths {
		rest, ok := strings.CutPrefix(path, "/slurm/")
		name, tail, _ := strings.Cut(rest, "/")
		if v, known := parseVersion(name); ok && known && strings.TrimSuffix(tail, "/") == "jobs" {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// chooseVersion picks the highest version both sides know, or the pinned one. A
// slurmrestd that serves newer ones is of a Slurm whose jobs and nodes may have what we do
// not know: it is read and never written, by the nearest version, unless one is
// pinned. The warning is for people; "" when there is nothing to say.
func chooseVersion(served []int, pin string) (api API, warning string, err error) {
	if pin != "" {
		return choosePinnedVersion(served, pin)
	}
	unknown := slices.IndexFunc(served, func(v int) bool { return v > NewestVersion }) // the first of those unknown
	for _, v := range slices.Backward(served) {
		if a, ok := APIFromVersion(v); ok && unknown < 0 {
			return a, formatUntriedWarning(a), nil
		} else if ok {
			a.CanWrite = false
			return a, fmt.Sprintf("slurmrestd serves %s, newer than v0.0.%d, the newest we know: reading %s, changing nothing; "+
				"slurm.api: %[3]s in the configuration lets it write all the same",
				API{Version: served[unknown]}.Name(), NewestVersion, a.Name()), nil
		}
	}
	if unknown >= 0 {
		a, _ := APIFromVersion(NewestVersion)
		a.Version, a.CanWrite, a.WasTriedLive = served[unknown], false, false
		return a, fmt.Sprintf("slurmrestd serves only API versions newer than v0.0.%d, the newest we know: "+
			"reading %s as if it were that, changing nothing", NewestVersion, a.Name()), nil
	}
	oldest, last := knownReleaseRange()
	return API{}, "", fmt.Errorf("slurmrestd serves %s, and we need v0.0.%d to v0.0.%d (Slurm %s to %s)",
		formatVersions(served), OldestVersion, NewestVersion, oldest, last)
}

func choosePinnedVersion(served []int, pin string) (API, string, error) {
	v, ok := parseVersion(pin)
	a, known := APIFromVersion(v)
	switch {
	case !ok || !known:
		return a, "", fmt.Errorf("api %q: want v0.0.%d to v0.0.%d, or nothing to choose the best", pin, OldestVersion, NewestVersion)
	case !slices.Contains(served, v):
		return a, "", fmt.Errorf("api %s is configured, but slurmrestd serves %s", pin, formatVersions(served))
	}
	return a, formatUntriedWarning(a), nil
}

func formatUntriedWarning(a API) string {
	if a.WasTriedLive {
		return ""
	}
	return fmt.Sprintf("API %s (Slurm %s) was never tried on a live Slurm: try it in observe mode first", a.Name(), a.ReleaseRange)
}

func formatVersions(served []int) string {
	if len(served) == 0 {
		return "no version of the slurm API"
	}
	var list []string
	for _, v := range served {
		list = append(list, API{Version: v}.Name())
	}
	return strings.Join(list, ", ")
}
