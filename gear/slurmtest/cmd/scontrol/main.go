// Command scontrol stands in for Slurm's scontrol before a slurmtest server:
// it posts its arguments to $SLURMTEST_URL/scontrol as user $SLURM_USER_NAME
// ("slurm" when empty), prints the answer and exits with its status.
package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"time"

	"fairbridge/gear/slurmtest"
)

func main() {
	status, err := run(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "slurm_update error: Unable to contact slurm controller (connect failure):", err)
		status = 1
	}
	os.Exit(status)
}

func run(args []string) (int, error) {
	body, err := json.Marshal(slurmtest.ScontrolRequest{User: cmp.Or(os.Getenv("SLURM_USER_NAME"), "slurm"), Args: args})
	if err != nil {
		return 1, err
	}
	client := &http.Client{Timeout: 30 * time.Second}
	res, err := client.Post(os.Getenv("SLURMTEST_URL")+"/scontrol", "application/json", bytes.NewReader(body))
	if err != nil {
		return 1, err
	}
	defer res.Body.Close()
	var out slurmtest.ScontrolReply
	if err := json.NewDecoder(res.Body).Decode(&out); err != nil {
		return 1, fmt.Errorf("reading the answer of %s: %w", os.Getenv("SLURMTEST_URL"), err)
	}
	to := os.Stderr
	if out.Status == 0 {
		to = os.Stdout
	}
	_, err = fmt.Fprint(to, out.Output)
	return out.Status, err
}
