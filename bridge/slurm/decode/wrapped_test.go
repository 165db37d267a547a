package decode

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Wrapped numbers are compared with earlier ones instead of being read, so
// series of them must come out as if each were alone.
func TestWrappedAlike(t *testing.T) {
	forms := []string{
		`{"set":true,"infinite":false,"number":%s}`, `{"set": true, "infinite": false, "number": %s }`,
		`{"set":false,"infinite":false,"number":%s}`, `{"set":true,"infinite":true,"number":%s}`,
		`{"number":%s}`, `{"number":%s,"set":true}`, `{"x":{"number":1},"number":%s}`, `{"set":false,"set":true,"number":%s}`,
		"{\n    \"set\": true,\n    \"infinite\": false,\n    \"number\": %s\n   }", `{"set":null,"number":%s}`, `%s`,
		`{"set":true,"infinite":false,"number":{"set":true,"infinite":false,"number":%s}}`,
	}
	numbers := []string{"0", "7", "12", "123456", "5e2", "7e1", "1.0", "6.5", "-4", "123456789012345678", "1234567890123456789", "4294967295", "null"}
	value := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf(rapid.SampledFrom(forms).Draw(t, "form"), rapid.SampledFrom(numbers).Draw(t, "number"))
	})
	rapid.Check(t, func(t *rapid.T) {
		var jobs []string
		for i, v := range rapid.SliceOfN(value, 2, 12).Draw(t, "values") {
			jobs = append(jobs, fmt.Sprintf(`{"job_id":%d,"cpus":%s,"unknown":%s,"nice":%s}`, i+1, v, v, v))
		}
		agreeJobs(t, []byte(`{"jobs":[`+strings.Join(jobs, ",")+`]}`))
	})
}

func TestWrappedAlikeIsStrict(t *testing.T) {
	good := `{"job_id":1,"cpus":{"set":true,"infinite":false,"number":5}}`
	for _, bad := range []string{"05", "00", "", "5x", "5,", "+5", "5.", "5 5"} {
		text := `{"jobs":[` + good + `,` + strings.Replace(good, "5}}", bad+"}}", 1) + `]}`
		if got, _, err := new(Decoder).Jobs(strings.NewReader(text), nil); err == nil {
			t.Errorf("number %q was read as %d", bad, got[1].CPUs)
		}
	}
	deep := strings.Repeat(`{"a":`, 60) + `{"set":true,"number":5}` + strings.Repeat("}", 60)
	for depth, ok := range map[int]bool{64: true, 63: false} {
		d := Decoder{Limits: Limits{Depth: depth}}
		_, _, err := d.Jobs(strings.NewReader(`{"jobs":[{"job_id":1,"x":`+deep+`}]}`), nil)
		if (err == nil) != ok {
			t.Errorf("depth %d: %v", depth, err)
		}
	}
}
