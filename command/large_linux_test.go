package command

import (
	"bytes"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge/internal/columns"
)

// repetitions is a Parquet file of so many rows in which nothing ever changes: 10⁶ rows of 12 columns take some hundred kB.
func repetitions(t *testing.T, rows int, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	const part = 100_000
	var fields []columns.Field
	var piece columns.Table
	for _, name := range names {
		f, c := columns.Field{Name: name}, columns.Column{Name: name}
		if name == "algorithm" {
			f.Kind, c.Text = columns.Text, strings.Split(strings.Repeat("vanilla,", part)[:8*part-1], ",")
		} else {
			c.Numbers = make([]float64, part)
		}
		fields, piece.Columns = append(fields, f), append(piece.Columns, c)
	}
	w := columns.NewWriter(&b, fields...)
	for range rows / part {
		if err := w.Write(piece); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A small file that is a large table is refused at once and costs nothing, as the series of a result and as people. Without the bounds plot
// takes 10⁶ × 12 numbers of 8 bytes, six times over: 576 MB.
func TestASmallFileOfALargeTable(t *testing.T) {
	if testing.Short() {
		t.Skip("memory of real processes is measured in the long tier")
	}
	if _, err := program.Path(); err != nil { // which is built where the module is
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if out, code := command(t, strings.Fields("run lq2 --out r --quiet --no-check --iterations 5 --trials 1")...); code != 0 {
		t.Fatal(out)
	}
	series := repetitions(t, 1e6, "algorithm", "trial", "k", "value", "gap", "distance", "a", "b", "c", "d", "e", "f")
	people := repetitions(t, 1e6, "x", "y")
	writeFile(t, "r/series.parquet", series)
	writeFile(t, "people.parquet", people)
	t.Logf("%d bytes of series, %d of people", len(series), len(people))
	if len(series) > 2e6 {
		t.Errorf("a file of %d bytes is no small one", len(series))
	}
	for _, args := range []string{
		"plot r --unverified --memory 300MB",
		"report r --unverified --memory 300MB",
		"run lq2 --out new --iterations 1 --trials 1 --set optimum.starts=1 --set population={size:1000000,dim:2,law:file,file:people.parquet}",
	} {
		c, out := process(t, strings.Fields(args)...)
		begun := time.Now()
		peak, _ := runPeak(c)
		if code := c.ProcessState.ExitCode(); code != exitUsage || !strings.Contains(out.String(), "parquet") {
			t.Errorf("kedge %s: exit code %d, %s", args, code, out)
		}
		if took := time.Since(begun); peak > 150e6 || took > 20*time.Second {
			t.Errorf("kedge %s: %.0f MB in %v", args, peak/1e6, took)
		}
	}
	if _, err := os.Stat("new"); err == nil {
		t.Error("something was written")
	}
}
