package logs

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/internal/room"
	"github.com/kedge-opt/kedge/panel"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
)

// recordedPeople are logs of people of whom some are seen once, found by a search and by the linear table, with numbers that are held and weights that are 0.
func recordedPeople() []recordedLog {
	once := kept(swung(0.5), func(row int) bool { return row > 0 && row < 12 || row > 50 })
	own := func(effects string, more ...string) []string {
		return append([]string{"traits: one", "effects: " + effects}, more...)
	}
	line := linearLog(5, 6, 0.5)
	alone := kept(line, func(row int) bool { return row > 0 && row < 6 })
	return []recordedLog{
		{"somebody once, by a search", bareSpec, own("person", "pull*q*d", "pull*q + 2*d"), once, Options{}},
		{"somebody once, by a search with times", bareSpec, own("both", "pull*q*d", "pull*q + 2*d"), once, Options{}},
		{"somebody once, by chance", bareSpec, own("random", "pull*q*d", "pull*q + 2*d"), once, Options{}},
		{"somebody once, held", bareSpec, own("person", "pull*q*d", "pull*q + 2*d", "[0, 1]", "[0, 0.2]"), once, Options{}},
		{"times, held", bareSpec, []string{"traits: one", "traits: one, effects: time", "[0, 1]", "[0, 0.2]"}, once, Options{}},
		{"somebody once, by the table", linearSpec, []string{"EFFECTS", "both"}, alone, Options{}},
		{"a time without weight", bareSpec, []string{"traits: one", "traits: one, effects: time, weight: \"where(week == 1, 0, 1)\""}, swung(0.5), Options{}},
		{"prices of one size", linearSpec, []string{"EFFECTS", "person, instruments: [tax]"}, with(line, func(row int, f []string) { f[2] = []string{"1", "-1"}[row*row%7%2] }), Options{}},
		{"groups and weights", shop, []string{"db]}", "db], weight: 1 + week, group: \"where(da > 10, 1, 0)\"}"}, shopLog(4, 6, false), Options{}},
		{"two traits beside a number", shop, []string{"- B @ q", "- B @ q + rain", ", traits: [da, db]", ", beside: {rain: week}, effects: person"}, shopLog(4, 6, false), Options{}},
		{"tails and instruments", bareSpec, []string{"traits: one", "traits: one, errors: student 4, instruments: [week]"}, swung(0.5), Options{}},
	}
}

// recordedRanges are logs whose numbers come out of their ranges, whose times are far apart or few, and whose answers last long or have no slope.
func recordedRanges() []recordedLog {
	line := linearLog(5, 6, 0.5)
	late := func(week string) string {
		return with(line, func(_ int, f []string) {
			if f[1] == "5" {
				f[1] = week
			}
		})
	}
	free := with(swung(0.5), func(row int, f []string) {
		v, _ := strconv.ParseFloat(f[2], 64)
		f[2] = fmt.Sprint(math.Abs(v))
		if row == 11 || row == 35 {
			f[2] = "0"
		}
	})
	stuck := with(free, func(row int, f []string) {
		if row%12 == 11 {
			f[2] = "0"
		}
	})
	root := []string{"pull*q*d", "pull*sqrt(q)*d", "-5 <=", "0 <="}
	list := []recordedLog{
		{"above by within", linearSpec, []string{"EFFECTS", "person", `habit: "?"`, `habit: "? in [0.9, 2]"`}, line, Options{Method: Within}},
		{"above by itself", linearSpec, []string{"EFFECTS", "person", `habit: "?"`, `habit: "? in [0.9, 2]"`}, line, Options{}},
		{"above with instruments", linearSpec, []string{"EFFECTS", "person, instruments: [tax]", `price: "?"`, `price: "? in [1, 2]"`}, line, Options{}},
		{"below with instruments", linearSpec, []string{"EFFECTS", "person, instruments: [tax]", `price: "?"`, `price: "? in [-9, -2]"`}, line, Options{}},
		{"a prior and instruments", linearSpec, []string{"EFFECTS", "person, instruments: [tax]", `price: "?"`, `price: "? ~ normal(-0.5, 0.1)"`}, line, Options{}},
		{"no slope for some", bareSpec, root, free, Options{}},
		{"no slope for all", bareSpec, root, stuck, Options{}},
		{"long answers", bareSpec, nil, swung(0.93), Options{}},
		{"short answers", bareSpec, nil, swung(0.02), Options{}},
		{"a flat value", bareSpec, []string{"p - q^2", "0*p"}, swung(0.5), Options{}},
		{"large numbers", linearSpec, []string{"EFFECTS", "none", "+ a\n", "+ 0.1\n"}, with(line, func(_ int, f []string) { f[3] += "e8" }), Options{}},
		{"heavy tails", bareSpec, []string{"traits: one", "traits: one, errors: student 3"}, with(swung(0.5), func(row int, f []string) {
			if row%17 == 9 {
				f[3] = fmt.Sprint(20 * (1 - 2*(row%2)))
			}
		}), Options{}},
		{"three weeks", bareSpec, nil, kept(swung(0.5), func(row int) bool { return row%12 > 2 }), Options{}},
	}
	for _, week := range []string{"1000", "1001"} {
		for _, effects := range []string{"none", "time", "person"} {
			list = append(list, recordedLog{effects + " until " + week, linearSpec, []string{"EFFECTS", effects, "+ a\n", map[bool]string{true: "+ a\n", false: "+ 0.1\n"}[effects == "person"]}, late(week), Options{}})
		}
	}
	return list
}

// What logs at the edges say is what it was when it was last looked at.
func TestEdgesAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for _, c := range append(recordedPeople(), recordedRanges()...) {
		lines = append(lines, told(t, c)...)
	}
	evidence.AsRecorded(t, "testdata/edges.txt", lines)
}

// columnsOf is a log of one column of decisions that stays where it is, and one of states.
func columnsOf(states ...float64) *record.Recorded {
	l := &record.Recorded{States: record.Columns{Names: []string{"p"}, Data: states}, Decision: record.Columns{Names: []string{"q"}, Data: make([]float64, len(states))}}
	for i := range states {
		l.Line = append(l.Line, i+2)
		l.Person, l.Turn = append(l.Person, 0), append(l.Turn, i)
	}
	return l
}

// A row is worth a word that has more than half of the spread of 20 rows or more: of 1, -1 and zeros each has half, of 1, -0.9 and zeros the first has more.
func TestRowsWithMostOfTheSpread(t *testing.T) {
	for _, c := range []struct {
		first, second float64
		rows          int
		row           string
	}{{1, -1, 20, ""}, {1, -0.9, 20, "row 2 "}, {-0.9, 1, 20, "row 3 "}, {1, -0.9, 19, ""}, {0, 0, 30, ""}} {
		states := make([]float64, c.rows)
		states[0], states[1] = c.first, c.second
		w := &work{log: columnsOf(states...), out: &Inference{}, spec: &problem.Spec{}}
		w.spec.Data = &record.DataSection{File: "log.csv"}
		if w.lone(); (len(w.out.Warn) > 0) != (c.row != "") || c.row != "" && !strings.Contains(w.out.Warn[0], c.row) {
			t.Errorf("%+v: %q", c, w.out.Warn)
		}
	}
}

// Estimates by changes are doubted below 5 in 100, and where instruments are no fewer than people; instruments are weak below F = 10.
func TestVerdictsOfChanges(t *testing.T) {
	for _, c := range []struct {
		instruments     int
		sargan, serial2 float64
		want            string
	}{
		{9, 0.05, 0.05, ""}, {10, 0.5, 0.5, "as many instruments"}, {9, 0.049, 0.5, "Sargan's test rejects"}, {9, 0.5, 0.049, "correlated in time"}, {9, math.NaN(), math.NaN(), ""},
	} {
		d := &panel.Dynamic{Instruments: c.instruments, SarganChance: c.sargan}
		d.Units, d.SerialChance[1] = 10, c.serial2
		notes := (&linear{}).verdicts(d)
		if len(notes) > 2 || (len(notes) == 2) != (c.want != "") || !strings.Contains(notes[len(notes)-1], c.want) || !strings.HasPrefix(notes[0], fmt.Sprintf("%d instruments for 10 people", c.instruments)) {
			t.Errorf("%+v: %q", c, notes)
		}
	}
	for f, weak := range map[float64]bool{9.99: true, 10: false} {
		if got := strings.Contains(strength(f), "weak"); got != weak {
			t.Errorf("F of %v is weak: %v", f, got)
		}
	}
}

// Errors are warned of that rest on fewer than 20 people.
func TestFewPeopleAreWarnedOf(t *testing.T) {
	for people, few := range map[int]bool{19: true, 20: false} {
		log := linearLog(people+1, 4, 0.5)
		e, err := fitted(t, strings.Replace(linearSpec, "EFFECTS", "person", 1), kept(log, func(row int) bool { return row < 3 }), Options{}) // the first says nothing
		if err != nil {
			t.Fatal(err)
		}
		if few != strings.Contains(strings.Join(e.Warn, "\n"), "with fewer than 20 they are too small") {
			t.Errorf("%d people: %q", people, e.Warn)
		}
	}
}

// What cannot be written is not tried out either: JSON has no word for what is no number.
func TestRulesOfWhatCannotBeWritten(t *testing.T) {
	s, err := problem.Parse(kind.Standard(), "bare.yaml", []byte(bareSpec))
	if err != nil {
		t.Fatal(err)
	}
	w := &work{spec: s, out: &Inference{Spec: s, Cov: [][]float64{{math.NaN()}}}}
	if err := w.rules(); err == nil {
		t.Error("it was taken as it is")
	}
}

// By hand: a quarter, at least a byte and at most 2³⁰ of them.
func TestHowMuchIsRead(t *testing.T) {
	for have, want := range map[int64]int64{1: 1, 7: 1, 8: 2, 4000: 1000, 1 << 40: 1 << 30, 1<<32 - 4: 1<<30 - 1, 1<<32 + 4: 1 << 30} {
		if got := mostRead(room.Supply{Bytes: have, Of: "of it"}); got != want {
			t.Errorf("of %d %d, want %d", have, got, want)
		}
	}
	if got := mostRead(room.Supply{Bytes: -1}); got != 0 {
		t.Errorf("of nobody knows what %d", got)
	}
}

// By hand: of 16 errors with squares of 1 in the mean the fourth power may be 3·(1 + 4/√16) = 6 in the mean. Twenty million numbers are taken, of rows with what is met.
func TestHowFarErrorsGo(t *testing.T) {
	if isHeavy(16, 6*16, 16) || !isHeavy(16, 6.01*16, 16) || isHeavy(8, 6*4, 16) || !isHeavy(8, 6.01*4, 16) {
		t.Error("heavy tails")
	}
	if isWide(10_000_000, 1) || !isWide(10_000_001, 1) || isWide(5_000_000, 3) || !isWide(5_000_001, 3) {
		t.Error("wide tables")
	}
}

// Answers are worked out of 64 pairs of entries at most.
func TestManyAnswers(t *testing.T) {
	for _, c := range []struct {
		m, nu int
		known bool
	}{{8, 8, true}, {5, 13, false}} {
		names := func(letter string, n int) (list []string) {
			for i := range n {
				list = append(list, fmt.Sprint(letter, i))
			}
			return list
		}
		p, q := names("p", c.m), names("q", c.nu)
		spec := fmt.Sprintf(`
model: {decision: "q[%d]", state: "p[%d]", let: {habit: "? in [0, 1]", pull: "?"}, next: "habit*p + pull*sum(q)", maximize: "sum(p)", subject to: "0 <= q <= 1"}
data: {file: log.csv, person: who, time: week, decision: [%s], states: [%s]}
`, c.nu, c.m, strings.Join(q, ", "), strings.Join(p, ", "))
		log := "who,week," + strings.Join(append(q, p...), ",") + "\n"
		for who := range 3 {
			for week := range 4 {
				log += fmt.Sprintf("%d,%d", who, week)
				for i := range c.m + c.nu {
					log += fmt.Sprintf(",%v", float64((7*i+5*week*week+3*who*i)%11)/10)
				}
				log += "\n"
			}
		}
		e, err := fitted(t, spec, log, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if (e.Answer != nil) != c.known {
			t.Errorf("%d×%d: %v", c.m, c.nu, e.Answer)
		}
	}
}

// Draws that are kept are the first, and as many as there are; behind the last there are no traits.
func TestKeptDraws(t *testing.T) {
	e, err := fitted(t, strings.Replace(linearSpec, "EFFECTS", "both", 1), linearLog(5, 6, 0.5), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Redraw(1000); len(e.Draws) != drawn || e.TraitsUnder(drawn-1) == nil || e.TraitsUnder(drawn) != nil {
		t.Errorf("%d draws", len(e.Draws))
	}
	if e.Redraw(2); len(e.Draws) != 2 || e.TraitsUnder(1) == nil || e.TraitsUnder(2) != nil {
		t.Errorf("%d draws", len(e.Draws))
	}
}

// Means of people whom a kind of dynamics moves are of the people of the spec, who begin where it says.
func TestAggregatesOfAKind(t *testing.T) {
	spec := strings.NewReplacer("person: who, ", "kind: aggregates, ", ", traits: [da, db]", "").Replace(chosenSpec) + "population: {size: 9, dim: 2, law: dirichlet, concentration: 2}\n"
	log := "week,ua,ub,pa,pb\n"
	for week := range 9 {
		ua, ub := float64((week*7)%11)/10, float64((week*5)%7)/10
		p := 0.5 + 0.03*float64((week*week)%5) - 0.1*(ua-ub)
		log += fmt.Sprintf("%d,%v,%v,%.4f,%.4f\n", week, ua, ub, p, 1-p)
	}
	if _, err := problem.Parse(kind.Standard(), "kind.yaml", []byte(spec)); err != nil {
		t.Fatal(err)
	}
	evidence.AsRecorded(t, "testdata/kind.txt", told(t, recordedLog{"means of a kind", spec, nil, log, Options{}}))
	// People are built with unknowns in the middle of their ranges, 0.8 here, which must be numbers that the kind has.
	_, err := fitted(t, strings.Replace(spec, `lambda1: "?"`, `lambda1: "? in [0.6, 1]"`, 1), log, Options{})
	if want := "shop.yaml:3: dynamics.lambda1 and dynamics.lambda2 add up to 1.3, want at most 1"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
