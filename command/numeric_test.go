package command

import (
	"bufio"
	"crypto/sha256"
	"fmt"
	"hash"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
)

// numericFile has a line for every number of the arithmetic and every small result: N, the SHA-256 of the result's lines of number files in
// results.sha256, and its name. Lines are added, never changed.
const numericFile = "testdata/numeric"

// Bits that change raise folder.Numeric: for the present one every small result holds the numbers it was first seen with. Of a new number,
// or of a new result, KEDGE_UPDATE=1 adds the lines.
func TestResultsKeepTheirBitsByNumber(t *testing.T) {
	have, want := numberDigests(t), numericLines(t)
	for _, name := range slices.Sorted(maps.Keys(have)) {
		key := fmt.Sprint(folder.Numeric, " ", name)
		was, known := want[key]
		switch {
		case !known && os.Getenv("KEDGE_UPDATE") != "":
			addLine(t, fmt.Sprintf("%d %s %s\n", folder.Numeric, have[name], name))
		case !known:
			t.Errorf("%s has no line for %s: run KEDGE_UPDATE=1 go test -run ResultsKeepTheirBits ./command", numericFile, key)
		case was != have[name]:
			t.Errorf("%s: bits changed: raise folder.Numeric, now %d, then run KEDGE_UPDATE=1 go test -run ResultsKeepTheirBits ./command", name, folder.Numeric)
		}
	}
}

// numberDigests hashes, by result, the lines of results.sha256 that are of number files.
func numberDigests(t *testing.T) map[string]string {
	t.Helper()
	sums := map[string]hash.Hash{}
	for _, line := range linesOf(t, path.Join("..", resultsFile)) {
		_, file, ok := strings.Cut(line, "  ")
		if !ok {
			t.Fatalf("%s: %q is no hash and a file", resultsFile, line)
		}
		if !slices.Contains([]string{"series.csv", "series.parquet", "arrays.npz", "table.csv", "table.parquet"}, path.Base(file)) {
			continue
		}
		name, _, _ := strings.Cut(file, "/")
		if sums[name] == nil {
			sums[name] = sha256.New()
		}
		fmt.Fprintln(sums[name], line)
	}
	list := map[string]string{}
	for name, h := range sums {
		list[name] = fmt.Sprintf("%x", h.Sum(nil))
	}
	return list
}

// numericLines are the digests by number and name. A line that stands twice would be one that was rewritten.
func numericLines(t *testing.T) map[string]string {
	t.Helper()
	list := map[string]string{}
	for _, line := range linesOf(t, numericFile) {
		var number int
		var digest, name string
		if _, err := fmt.Sscan(line, &number, &digest, &name); err != nil || len(digest) != 64 {
			t.Fatalf("%s: %q is no number, digest and name", numericFile, line)
		}
		key := fmt.Sprint(number, " ", name)
		if list[key] != "" {
			t.Fatalf("%s has two lines for %s", numericFile, key)
		}
		list[key] = digest
	}
	return list
}

// linesOf are the lines of a file, none if it is not there.
func linesOf(t *testing.T, file string) (lines []string) {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		return nil
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		lines = append(lines, s.Text())
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return lines
}

func addLine(t *testing.T, line string) {
	t.Helper()
	f, err := os.OpenFile(numericFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(line); err != nil {
		t.Fatal(err)
	}
}

// kedge version says what decides whether results may be mixed.
func TestVersionNamesTheCode(t *testing.T) {
	code := folder.CurrentCode()
	out, exit := command(t, "version")
	for _, want := range []string{folder.Version, folder.CurrentBuild().Target(), fmt.Sprintf("arithmetic %d\n", folder.Numeric), code.Go, code.System, code.Program[:12]} {
		if exit != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in %q", exit, want, out)
		}
	}
	out, exit = command(t, "version", "--json")
	for _, want := range []string{`"numeric": `, `"goarch": `, `"code": {`, `"go": "` + code.Go, `"program": "` + code.Program} {
		if exit != 0 || !strings.Contains(out, want) {
			t.Errorf("exit code %d, no %q in %s", exit, want, out)
		}
	}
}
