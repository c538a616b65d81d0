package phrase

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"kind", "lambda", "sigma", "step", "batch"}
	for key, want := range map[string]string{
		"lamda": "lambda", "labmda": "lambda", "Lambda": "lambda", "sgima": "sigma", "stp": "step", "batchs": "batch",
		"temperature": "", "x": "", "": "", "knd": "kind", "stepp": "step",
	} {
		if got := Nearest(key, known); got != want {
			t.Errorf("%q is taken for %q, want %q", key, got, want)
		}
	}
}
