package lab_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/evidence"
)

// python returns an interpreter that has a library: KEDGE_PYTHON or python3.
func python(t *testing.T, library string) string {
	t.Helper()
	for _, name := range []string{os.Getenv("KEDGE_PYTHON"), "python3"} {
		if name != "" && exec.Command(name, "-c", "import "+library).Run() == nil {
			return name
		}
	}
	t.Skipf("no Python with %s; set KEDGE_PYTHON to one", library)
	return ""
}

func hashText(x []string) string {
	sum := sha256.Sum256([]byte(strings.Join(x, "\n")))
	return hex.EncodeToString(sum[:])
}

// hashNumbers hashes numbers with the NaN that NumPy writes for everything that is missing.
func hashNumbers(x []float64) string {
	var b []byte
	for _, v := range x {
		bits := math.Float64bits(v)
		if math.IsNaN(v) {
			bits = 0x7ff8000000000000
		}
		b = binary.LittleEndian.AppendUint64(b, bits)
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// held are the checksums of the series and of the arrays of a result.
func held(r *folder.Result) (series, arrays map[string]string) {
	text, numbers := []string{}, map[string][]float64{}
	arrays = map[string]string{"optimum": hashNumbers(r.Optimum.Decision), "stable": hashNumbers(r.Stable.Decision)}
	for _, one := range r.Runs {
		var decisions []float64
		for _, trial := range one.Trials {
			decisions = append(decisions, trial.Decision...)
			for _, k := range trial.K {
				text = append(text, one.Name)
				numbers["trial"], numbers["k"] = append(numbers["trial"], float64(trial.Index)), append(numbers["k"], float64(k))
			}
			for i, c := range trial.Columns {
				numbers[c.Name] = append(numbers[c.Name], trial.Values[i]...)
			}
		}
		arrays["decisions_"+one.Name] = hashNumbers(decisions)
		arrays["angles_"+one.Name] = hashNumbers(r.Angles.Final[one.Name])
	}
	arrays["initial_angles"], arrays["optimal_angles"] = hashNumbers(r.Angles.Initial), hashNumbers(r.Angles.Optimal)
	series = map[string]string{"algorithm": hashText(text)}
	for name, x := range numbers {
		series[name] = hashNumbers(x)
	}
	return series, arrays
}

// What DuckDB, Arrow, pandas, polars and NumPy read from a folder are the bits that were in memory.
func TestOthersReadTheSameBits(t *testing.T) {
	same := evidence.For(t, evidence.Promise{Name: "others-read", Text: "columns and arrays of a folder of which DuckDB, Arrow, pandas, polars or NumPy read other bits", Needs: "Python with NumPy, of the others those that are there"})
	if testing.Short() {
		t.Skip("starts Python")
	}
	interpreter := python(t, "numpy")
	r, dir := saved(t, "polarized", 2, append(small, "record.theory=true", "record.transport=100", "iterations=400", "record.paths=0")...)
	out, err := exec.Command(interpreter, "testdata/readers.py", dir).Output()
	var found map[string]map[string]string
	if err != nil || json.Unmarshal(out, &found) != nil {
		t.Fatalf("%v: %s", err, out)
	}
	series, arrays := held(r)
	for library, got := range found {
		want := series
		if library == "numpy" {
			want = arrays
		}
		for name, sum := range want {
			same.Ended(library)
			same.Case(got[name] == sum, "%s reads other bits of %s", library, name)
		}
		if len(got) != len(want) {
			t.Errorf("%s reads %d columns, want %d", library, len(got), len(want))
		}
	}
	for _, library := range []string{"duckdb", "pyarrow", "pandas", "polars"} {
		if found[library] == nil {
			t.Logf("%s is not there: not tried", library)
		}
	}
	if found["numpy"] == nil {
		t.Error("NumPy opened nothing")
	}
}
