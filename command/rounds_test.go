package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rounds that were over are in the file of --rounds, whole and with the names of its columns, although the program that simulates people died in the next.
func TestRoundsThatWereOverStay(t *testing.T) {
	python, dir := pythonOf(t), t.TempDir()
	text, err := os.ReadFile("../examples/people/people.py")
	if err != nil {
		t.Fatal(err)
	}
	const each = "    turn = json.loads(line)\n"
	if !strings.Contains(string(text), each) {
		t.Fatal("examples/people/people.py is another program")
	}
	program, rounds := filepath.Join(dir, "people.py"), filepath.Join(dir, "rounds.csv")
	if err := os.WriteFile(program, []byte(strings.Replace(string(text), each, each+"    if turn[\"turn\"] > 3:\n        sys.exit(\"out of customers\")\n", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	got := typed(t, "", "simulate", "../examples/people/shop.yaml", "--data", filepath.Join(dir, "data"), "--population", python+" "+program, "--iterations", "9", "--rounds", rounds)
	table, err := os.ReadFile(rounds)
	if err != nil || got.code != exitFailed || !strings.Contains(got.complaint, "out of customers") {
		t.Fatalf("%+v, %v", got, err)
	}
	if lines := strings.Split(string(table), "\n"); len(lines) != 5 || !strings.HasPrefix(lines[0], "algorithm,k,outcome,") || strings.Count(lines[3], ",") != strings.Count(lines[0], ",") || lines[4] != "" {
		t.Errorf("of three rounds there is %q", table)
	}
}
