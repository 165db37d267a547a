package e2e

import (
	"testing"
	"time"
)

// TestBesideAFailOver: slurmctld dies and a backup takes over, then the first one
// takes back. What is decided afterwards is pushed, and everything is given back.
func TestBesideAFailOver(t *testing.T) {
	ownSlurm(t, "SlurmctldHost=fairbridge-backup(127.0.0.2)\nSlurmctldTimeout=5\nMessageTimeout=10", func(t *testing.T, s *site) {
		s.stopController() // saves all of its state, which a backup of 26.05 wants to find
		s.startController()
		s.startBackup()
		ids := s.ordered(4)
		s.start()
		s.untilLine("our order stands", ids[3])
		s.sh("sleep 6") // slurmctld saves every five seconds

		s.sh("kill -9 $(cat /run/slurmctld.pid)")
		s.until("the backup answers", 2*time.Minute, func() bool { return len(s.lineNow()) == 4 })
		second := s.submit("bob", long, "--gres=gpu:8", "-t", "20")
		s.untilLine("a job that came to the backup is ordered", second)
		s.startController()
		third := s.submit("bob", long, "--gres=gpu:8", "-t", "10")
		s.untilLine("a job that came after the first one took back is ordered", third)
		s.untilLogged("slurmctld restarted")
		s.givesEverythingBack(append(ids, second, third))
	})
}

// startBackup starts a second slurmctld on a host name and an address of its own, with the
// same state directory.
func (s *site) startBackup() {
	s.t.Helper()
	s.sh(`echo 127.0.0.2 fairbridge-backup >>/etc/hosts
sed 's#/run/slurmctld.pid#/run/slurmctld-backup.pid#; s#log/slurmctld.log#log/slurmctld-backup.log#' /etc/slurm/slurm.conf >/etc/slurm/backup.conf
setsid unshare -u bash -c 'hostname fairbridge-backup; exec slurmctld -D -f /etc/slurm/backup.conf' >/var/lib/slurm/log/slurmctld-backup.out 2>&1 </dev/null &
until scontrol ping | grep -q 'fairbridge-backup is UP'; do sleep 0.1; done`)
}
