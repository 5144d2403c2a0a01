package doctor

import (
	"slices"
	"strings"
	"testing"

	"crscore/internal/report"
)

// TestDoctorSlow recommends ONNX Runtime to those who have a model that it would run faster.
func TestDoctorSlow(t *testing.T) {
	for _, c := range []struct {
		encoders encoderFound
		want     bool
	}{
		{encoderFound{}, false},
		{encoderFound{Models: []Model{{Name: "org/name", State: "ok"}}}, true},
		{encoderFound{Models: []Model{{Name: "org/name", State: "ok"}}, ONNXRuntime: true}, false},
	} {
		c.encoders.SHA256 = strings.Repeat("0", 64)
		said := slices.ContainsFunc(c.encoders.rows(), func(r report.Check) bool {
			return r.Cells[0] == "ONNX Runtime" && strings.Contains(r.Below, "times as fast")
		})
		if said != c.want {
			t.Errorf("%+v: recommended is %t", c.encoders, said)
		}
	}
}
