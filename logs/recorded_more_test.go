package logs

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/panel"
	"github.com/kedge-opt/kedge/problem/record"
)

// still is a log of three people whose next state is 0.5·p + 2·q to the last bit, which nothing disturbs.
func still() string {
	var b strings.Builder
	b.WriteString("who,week,q,p,one\n")
	for i := range 3 {
		p := float64(i + 1)
		for t := range 8 {
			q := float64((3*t+2*i)%5) / 4
			p = 0.5*p + 2*q
			fmt.Fprintf(&b, "c%d,%d,%v,%v,1\n", i, t, q, p)
		}
	}
	return b.String()
}

// recordedUnseen are logs of people who are not seen again, some with mistakes in them.
func recordedUnseen() (list []recordedLog) {
	people, means := sectionLog(5, 24)
	section := func(name, more, log string, replace ...string) {
		list = append(list, recordedLog{name, sampled, append([]string{"KIND", "sections", "TRAITS", ", traits: d" + more}, replace...), log, Options{}})
	}
	section("sections with weights", ", weight: 1 + t", people)
	section("sections with wrong weights", ", weight: t - 2", people)
	section("sections in groups", ", group: \"where(d > 10, 1, 0)\"", people)
	section("sections with effects", ", effects: time", people)
	section("sections, decisions before", ", decision-from: before", people)
	section("sections with two decisions at a time", "", with(people, func(row int, f []string) {
		if row == 40 {
			f[1] = "7"
		}
	}))
	section("sections with a state beyond numbers", "", with(people, func(row int, f []string) {
		if row == 50 {
			f[2] = "1e200"
		}
	}))
	section("sections at a bound", "", people, "[0, 1]", "[0, 0.3]")
	section("sections of one price", "", with(people, func(_ int, f []string) { f[1] = "4" }))
	section("sections of one time", "", kept(people, func(row int) bool { return row > 23 }))
	crowd := "population: {size: 30, law: normal, mean: 10, deviation: 1}\n"
	mean := func(name, more, log string, replace ...string) {
		list = append(list, recordedLog{name, sampled + crowd, append([]string{"KIND", "aggregates", "TRAITS", more}, replace...), log, Options{}})
	}
	mean("means twice at a time", "", with(means, func(row int, f []string) {
		if row == 3 {
			f[0] = "2"
		}
	}))
	mean("means of two groups", ", group: g", "t,q,p,g\n"+strings.ReplaceAll(strings.TrimPrefix(means, "t,q,p\n"), "\n", ",a\n")+strings.ReplaceAll(strings.TrimPrefix(means, "t,q,p\n"), "\n", ",b\n"))
	mean("means of few times", "", kept(means, func(row int) bool { return row > 1 }))
	return list
}

const chosenSpec = `
iterations: 30
dynamics: {kind: choice, lambda1: "?", lambda2: 0.5, epsilon: "? in [0, 9]"}
objective: {kind: revenue}
set: {kind: box, lower: 0, upper: 2}
data: {file: log.csv, person: who, time: week, decision: [ua, ub], states: [pa, pb], traits: [da, db]}
algorithms: [{name: composite, step: 0.02, batch: 3}]
`

// choices is a log of three people who choose, with a little doubt in the last digits of what they did.
func choices() string {
	var b strings.Builder
	b.WriteString("who,week,ua,ub,pa,pb,da,db\n")
	for i := range 3 {
		d := float64(i+1) / 5
		p := d
		for week := range 9 {
			ua, ub := float64((week*7+i*3)%11)/10, float64((week*5+i)%7)/10
			p = 0.4*p + 0.5/(1+math.Pow(2, ua-ub)) + 0.1*d
			fmt.Fprintf(&b, "%d,%d,%v,%v,%.4f,%.4f,%v,%v\n", i, week, ua, ub, p, 1-p, d, 1-d)
		}
	}
	return b.String()
}

// recordedNames are panels whose names stand in the way of those that are written, whose rows are odd, or that nothing disturbs.
func recordedNames() []recordedLog {
	line, log := linearLog(5, 6, 0.5), shopLog(4, 6, false)
	return []recordedLog{
		{"names that are taken", linearSpec, []string{"EFFECTS", "both", `taste: "?"}`, `taste: "?", season: 2, person: 1}`, "+ a\n", "+ a + 0*season*person\n"}, line, Options{}},
		{"two numbers beside", linearSpec, []string{"EFFECTS", "person", "income: inc", "income: inc, levy: tax", "taste*income", "taste*(income + levy)"}, line, Options{}},
		{"a number beside without a trait", linearSpec, []string{"EFFECTS", "none", "+ a\n", "+ 0.1\n"}, line, Options{Bootstrap: 21}},
		{"instruments of before", linearSpec, []string{"EFFECTS", "person, instruments: [tax], decision-from: before"}, line, Options{}},
		{"instruments of a shop", shop, []string{"db]}", "db], instruments: [week]}"}, log, Options{}},
		{"both of a shop", shop, []string{", traits: [da, db]", ", effects: both"}, log, Options{}},
		{"random and time of a shop", shop, []string{", traits: [da, db]", ", effects: random-and-time"}, log, Options{}},
		{"traits and effects of a shop", shop, []string{"db]}", "db], effects: person}"}, log, Options{}},
		{"traits that are too few", shop, []string{"[da, db]", "[da]"}, log, Options{}},
		{"a decision that is too short", shop, []string{"[qa, qb]", "[qa]"}, log, Options{}},
		{"weights that are wrong", shop, []string{"db]}", "db], weight: week - 3}"}, log, Options{}},
		{"a state beyond numbers", bareSpec, nil, with(swung(0.5), func(row int, f []string) {
			if row == 30 {
				f[3] = "1e200"
			}
		}), Options{}},
		{"a row with most of the spread", bareSpec, nil, with(swung(0.5), func(row int, f []string) {
			if row == 30 {
				f[3] = "90"
			}
		}), Options{}},
		{"nothing disturbs", bareSpec, nil, still(), Options{}},
		{"nothing disturbs people", bareSpec, []string{"traits: one", "effects: person", "pull*q*d", "pull*q + d"}, still(), Options{}},
		{"nothing disturbs people of chance", bareSpec, []string{"traits: one", "effects: random", "pull*q*d", "pull*q + d"}, still(), Options{}},
		{"people of the spec", bareSpec + "population: {size: 9, law: normal, mean: 1, deviation: 0.1}\n", nil, swung(0.5), Options{}},
		{"income that goes against the price", linearSpec, []string{"EFFECTS", "person"}, with(line, func(_ int, f []string) {
			if v, err := strconv.ParseFloat(f[2], 64); err == nil {
				f[4] = fmt.Sprint(10 - v)
			}
		}), Options{}},
		{"a kind", chosenSpec, nil, choices(), Options{}},
		{"a kind with people of the spec", chosenSpec + "population: {size: 9, dim: 2, law: dirichlet, concentration: 2}\n", nil, choices(), Options{}},
		{"a kind again", chosenSpec, nil, choices(), Options{Bootstrap: 21, Workers: 2}},
	}
}

// What logs of people who are not seen again say, or what is wrong with them, is what it was when it was last looked at.
func TestUnseenPeopleAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for _, c := range recordedUnseen() {
		lines = append(lines, told(t, c)...)
	}
	evidence.AsRecorded(t, "testdata/unseen.txt", lines)
}

// What panels with names in the way and odd rows say is what it was when it was last looked at.
func TestNamesAreAsRecorded(t *testing.T) {
	evidence.OneGoroutine(t)
	var lines []string
	for _, c := range recordedNames() {
		lines = append(lines, told(t, c)...)
	}
	evidence.AsRecorded(t, "testdata/names.txt", lines)
}

// Estimates that are made again are the same on any number of workers.
func TestRepeatsOnAnyWorkers(t *testing.T) {
	var one []string
	for _, workers := range []int{1, 3} {
		lines := told(t, recordedLog{"again", chosenSpec, nil, choices(), Options{Bootstrap: 21, Workers: workers}})
		if one == nil {
			one = lines
		}
		if !slices.Equal(lines, one) {
			t.Errorf("%d workers: %s\none: %s", workers, lines, one)
		}
	}
}

// Of somebody who found nothing of people, people are as the log has them, at whatever date and under whatever draw.
func TestPeopleOfWhomNothingWasFound(t *testing.T) {
	e, err := fitted(t, shop, shopLog(4, 6, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	full, err := e.Files("out")
	if err != nil {
		t.Fatal(err)
	}
	e.crowd = crowd{}
	if files, err := e.Files("out"); err != nil || string(files[SpecFile]) != string(full[SpecFile]) || string(files[record.PeopleFile]) != string(full[record.PeopleFile]) {
		t.Errorf("%v, or another spec or other people:\n%s", err, files[SpecFile])
	}
	if e.Redraw(2); !e.TraitsFollow() || e.TraitsUnder(0) != nil || len(e.Draws) != 2 {
		t.Errorf("they follow %t, under a draw %v of %d", e.TraitsFollow(), e.TraitsUnder(0), len(e.Draws))
	}
	past := e.Past(2)
	if got, want := fmt.Sprint(past.TraitOf(3)), fmt.Sprint(past.Log.Traits.Row(3)); got != want || fmt.Sprint(e.TraitOf(7)) != fmt.Sprint(e.Log.Traits.Row(7)) || past.Log.Rows() != 4*3 {
		t.Errorf("%s, want %s; %d rows", got, want, past.Log.Rows())
	}
}

// Where there are no draws the spec that is written decides over none, and names no file of them.
func TestSpecsWithoutDraws(t *testing.T) {
	e, err := fitted(t, shop+"uncertain: 4\ndecide: cvar 0.5\n", shopLog(4, 6, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, draws := range [][][]float64{e.Draws, nil} {
		e.Draws = draws
		files, err := e.Files("out")
		if err != nil {
			t.Fatal(err)
		}
		for _, key := range []string{"draws:", "uncertain:", "decide:"} {
			if got := strings.Contains(string(files[SpecFile]), "\n"+key); got != (draws != nil) {
				t.Errorf("%d draws: %s is there: %t\n%s", len(draws), key, got, files[SpecFile])
			}
		}
		if _, is := files[DrawsFile]; is != (draws != nil) {
			t.Errorf("%d draws: a file of them: %t", len(draws), is)
		}
	}
}

// What all had in common at a turn is that of the last turn until then that is known, and at first that of the first.
func TestWhatAllHadInCommon(t *testing.T) {
	c := &crowd{seasons: map[int][]float64{0: {10}, 1: {11}, 4: {14}}}
	for turn, want := range map[int]float64{-1: 10, 0: 10, 1: 11, 2: 11, 3: 11, 4: 14, 9: 14} {
		if got := c.at(turn); len(got) != 1 || got[0] != want {
			t.Errorf("at %d %v, want %v", turn, got, want)
		}
	}
	if late := (&crowd{seasons: map[int][]float64{5: {15}, 3: {13}}}).at(1); len(late) != 1 || late[0] != 13 || (&crowd{}).at(3) != nil {
		t.Errorf("before all %v", late)
	}
}

// Of designs with fewer instruments than people, or than 150, the richest is taken: T(T-1)/2, T-1 or 3 of the lag, and those of the other columns; with effects of times those count too.
func TestThriftyDesigns(t *testing.T) {
	full, collapsed := panel.ByChanges{Steps: 2}, panel.ByChanges{Steps: 2, Collapse: true}
	near, poor := panel.ByChanges{Steps: 2, Collapse: true, Oldest: 4}, panel.ByChanges{Steps: 1, Collapse: true, Oldest: 3}
	for _, x := range []struct {
		last, people, alone int
		twoWay              bool
		want                panel.ByChanges
	}{
		{5, 12, 0, false, full}, {5, 11, 0, false, collapsed}, {5, 6, 0, false, collapsed}, {5, 5, 0, false, near}, {5, 4, 0, false, poor}, {5, 14, 2, false, full}, {5, 14, 3, false, collapsed},
		{5, 16, 0, true, full}, {5, 15, 0, true, collapsed}, {5, 10, 0, true, collapsed}, {5, 9, 0, true, near}, {5, 8, 0, true, poor},
		{17, 1000, 0, false, full}, {18, 1000, 0, false, collapsed}, {149, 1000, 0, false, collapsed}, {150, 1000, 0, false, near},
	} {
		l := &linear{w: &work{log: &record.Recorded{Turn: []int{0, x.last}}, out: &Inference{People: x.people}, pairs: record.Pairs{Alone: x.alone}}, all: panel.Table{X: make([][]float64, 1)}}
		want := x.want
		want.TwoWay = x.twoWay
		if got := l.thrifty(x.twoWay); got != want {
			t.Errorf("%+v: %+v", x, got)
		}
	}
}
