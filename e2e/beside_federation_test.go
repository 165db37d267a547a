package e2e

import (
	"strings"
	"testing"
	"time"
)

// TestBesideAFederation: the cluster joins a federation while our order stands. Jobs
// from then on are federated and left alone, those from before are ordered and given
// back as ever, and doctor says so.
func TestBesideAFederation(t *testing.T) {
	ownSlurm(t, "FederationParameters=fed_display", func(t *testing.T, s *site) {
		ids := s.ordered(3)
		s.start()
		s.untilLine("our order stands", ids[2])
		s.joinFederation()
		federated := map[string]map[string]string{}
		submit := func(flags ...string) string {
			id, _, _ := strings.Cut(s.submit("carol", long, append(flags, "--gres=gpu:8", "-t", "5")...), ";")
			return id
		}
		canRead := s.slurm.APIVersion != "v0.0.38" // slurmrestd of 22.05 asks the siblings too, in vain
		if canRead {                               // and here they never agreed to be siblings
			elsewhere := submit("-M", "lab,other", "--cluster-constraint=fast")
			s.until("a job runs on the other cluster", time.Minute, func() bool { return s.show(elsewhere)["JobState"] == "RUNNING" })
		}
		for _, flags := range [][]string{{"-M", "lab"}, {"-M", "lab,other"}, {"-M", "lab,other", "--cluster-constraint=!fast"}} {
			id := submit(flags...)
			s.until("the job is known here, if need be from its sibling", time.Minute, func() bool {
				_, err := s.slurm.Run(t.Context(), "root", "scontrol", "-o", "show", "job", id)
				return err == nil
			})
			federated[id] = s.show(id)
		}
		s.until("the federated jobs are seen", time.Minute, func() bool {
			for id := range federated {
				if out, _ := s.tryFairbridge("explain", id); !strings.Contains(out, "a federated job, which Slurm starts itself") {
					return false
				}
			}
			return true
		})
		out, err := s.tryFairbridge("doctor")
		if !strings.Contains(out, "this cluster is in a federation") || (err == nil) != canRead {
			t.Errorf("doctor: %v\n%s", err, out)
		}
		if !canRead {
			s.sh("sacctmgr -i delete federation both; while scontrol show federation | grep -q Sibling; do sleep 0.1; done")
		}
		s.givesEverythingBack(ids)
		for id, was := range federated {
			is := s.show(id)
			for _, k := range []string{"Priority", "Nice", "EligibleTime", "ReqNodeList", "ExcNodeList", "Restarts"} {
				if is[k] != was[k] {
					t.Errorf("federated job %s: %s was %s, is %s", id, k, was[k], is[k])
				}
			}
		}
	})
}

// joinFederation starts a second slurmctld for a cluster "other", of which one node
// answers and which has the feature "fast", and makes a federation of both. Its ports are of the block of 16 that
// scripts/slurm/ports.sh reserves for the first, which uses five.
func (s *site) joinFederation() {
	s.t.Helper()
	s.sh(`mkdir -p /etc/slurm/other /var/lib/slurm/other; chown slurm /var/lib/slurm/other
port=$(($(sed -n 's/^SlurmctldPort=//p' /etc/slurm/slurm.conf) + 8))
sed -E "s/^ClusterName=.*/ClusterName=other/; s/^SlurmctldPort=.*/SlurmctldPort=$port/; s#^StateSaveLocation=.*#StateSaveLocation=/var/lib/slurm/other#
s#^SlurmctldPidFile=.*#SlurmctldPidFile=/run/slurmctld-other.pid#; s#slurmctld.log#slurmctld-other.log#; s#^SlurmdSpoolDir=.*#SlurmdSpoolDir=/var/lib/slurm/other/%n#; s#/run/slurmd-#/run/slurmd-other-#; s#log/slurmd-#log/slurmd-other-#" /etc/slurm/slurm.conf >/etc/slurm/other/slurm.conf
for i in 1 2; do sed -i -E "s/^(NodeName=n$i .*) Port=[0-9]+/\\1 Port=$((port + i))/" /etc/slurm/other/slurm.conf; done
cp /etc/slurm/gres.conf /etc/slurm/cgroup.conf /etc/slurm/other/
sacctmgr -i add cluster other || true
sed "s/'lab'/'other'/" /etc/slurm/accounts >/etc/slurm/accounts-other
sacctmgr -i load /etc/slurm/accounts-other || true
sacctmgr -i modify cluster other set features=fast || true
sacctmgr -i add federation both clusters=lab,other
setsid env SLURM_CONF=/etc/slurm/other/slurm.conf slurmctld -D >/var/lib/slurm/log/slurmctld-other.out 2>&1 </dev/null &
until SLURM_CONF=/etc/slurm/other/slurm.conf scontrol ping | grep -q 'is UP'; do sleep 0.1; done
until scontrol show federation | grep -q Sibling; do sleep 0.1; done
SLURM_CONF=/etc/slurm/other/slurm.conf setsid slurmd -D -N n1 -f /etc/slurm/other/slurm.conf >/var/lib/slurm/log/slurmd-other.out 2>&1 </dev/null &`)
}
