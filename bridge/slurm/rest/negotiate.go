package rest

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
)

// readVersions reads the API versions of slurmctld's part of an OpenAPI document.
func readVersions(r io.Reader) ([]int, error) {
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
		if v, known := parseName(name); ok && known && strings.TrimSuffix(tail, "/") == "jobs" {
			list = append(list, v)
		}
	}
	slices.Sort(list)
	return slices.Compact(list), nil
}

// chooseVersion picks the highest version both sides know, or the pinned one. Of a
// slurmrestd that serves only newer ones, the nearest is read and never
// written. The warning is for people; "" when there is nothing to say.
func chooseVersion(served []int, pin string) (api API, warning string, err error) {
	if pin != "" {
		return choosePinned(served, pin)
	}
	for _, v := range slices.Backward(served) {
		if a, ok := Capabilities(v); ok {
			return a, untriedWarning(a), nil
		}
	}
	for _, v := range served {
		if v > Newest {
			a, _ := Capabilities(Newest)
			a.Version, a.Writes, a.Tried = v, false, false
			return a, fmt.Sprintf("slurmrestd serves only API versions newer than v0.0.%d, the newest we know: reading %s as if it were that, changing nothing", Newest, a.Name()), nil
		}
	}
	oldest, newest := knownReleases()
	return API{}, "", fmt.Errorf("slurmrestd serves %s, and we need v0.0.%d to v0.0.%d (Slurm %s to %s)", formatVersions(served), Oldest, Newest, oldest, newest)
}

func choosePinned(served []int, pin string) (API, string, error) {
	v, ok := parseName(pin)
	a, known := Capabilities(v)
	switch {
	case !ok || !known:
		return a, "", fmt.Errorf("api %q: want v0.0.%d to v0.0.%d, or nothing to choose the best", pin, Oldest, Newest)
	case !slices.Contains(served, v):
		return a, "", fmt.Errorf("api %s is configured, but slurmrestd serves %s", pin, formatVersions(served))
	}
	return a, untriedWarning(a), nil
}

func untriedWarning(a API) string {
	if a.Tried {
		return ""
	}
	return fmt.Sprintf("API %s (Slurm %s) was never tried on a live Slurm: try it in observe mode first", a.Name(), a.Releases)
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
