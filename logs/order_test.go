package logs

import (
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// byName are the values of an estimate, or what stays of them, with errors and ends.
func byName(list []Inferred) map[string][4]float64 {
	out := map[string][4]float64{}
	for _, f := range list {
		out[f.Name] = [4]float64{float64(f.Value), float64(f.Error), float64(f.Low), float64(f.High)}
	}
	return out
}

// In which order unknowns are written says nothing of them: every estimate is the same by name, wherever the habit stands among them.
func TestEstimatesDoNotDependOnTheOrderOfUnknowns(t *testing.T) {
	evidence.OneGoroutine(t)
	log := linearLog(14, 6, 0.5)
	var first *Inference
	for _, let := range []string{`{habit: "?", price: "?", taste: "?"}`, `{price: "?", habit: "?", taste: "?"}`, `{price: "?", taste: "?", habit: "?"}`} {
		spec := strings.NewReplacer("EFFECTS", "person, instruments: [tax]", `{habit: "?", price: "?", taste: "?"}`, let).Replace(linearSpec)
		e, err := fitted(t, spec, log, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = e
		}
		if len(e.Linear) != 5 || len(first.Linear) != 5 {
			t.Fatalf("%d and %d estimates, want 5", len(e.Linear), len(first.Linear))
		}
		for i, l := range e.Linear {
			if l.Fault != "" || len(l.Values) != 3 || len(l.LongRun) != 2 {
				t.Fatalf("%s by %s: %+v", let, l.Method, l)
			}
			for which, pair := range [][2][]Inferred{{l.Values, first.Linear[i].Values}, {l.LongRun, first.Linear[i].LongRun}} {
				want := byName(pair[1])
				for name, got := range byName(pair[0]) {
					for n, v := range got {
						if w, is := want[name]; !is || !(math.Abs(v-w[n]) <= 1e-7*(1+math.Abs(w[n]))) {
							t.Errorf("%s by %s, table %d: %s is %v, want %v", let, l.Method, which, name, got, w)
						}
					}
				}
			}
		}
	}
}

// Twenty repeats of a bootstrap make intervals, of numbers and of paths; nineteen do not.
func TestTwentyRepeatsMakeIntervals(t *testing.T) {
	spec := strings.Replace(linearSpec, "EFFECTS", "person", 1)
	for repeats, want := range map[int]string{19: "normal", 20: "20 repeats of the bootstrap by person"} {
		e, err := fitted(t, spec, linearLog(14, 6, 0.5), Options{Bootstrap: repeats})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(e.DrawOf, want) || e.Failed != 0 {
			t.Errorf("%d repeats: draws are of %q, %d failed", repeats, e.DrawOf, e.Failed)
		}
		for _, f := range e.Answer.Entries[0].Path[1:] {
			if !f.Low.Known() || !f.High.Known() || !(f.Low < f.High) {
				t.Errorf("%d repeats: %+v", repeats, f)
			}
		}
	}
}

// What all have in common is called season in the spec that is written, unless the model has given that name to something else.
func TestASeasonHasANameOfItsOwn(t *testing.T) {
	evidence.OneGoroutine(t)
	const let = `{habit: "?", price: "?", taste: "?"}`
	for _, c := range []struct {
		name    string
		replace []string
	}{
		{"season", nil},
		{"season_", []string{"state: s\n", "state: season\n", "habit*s ", "habit*season ", "maximize: s*", "maximize: season*"}},
		{"season_", []string{"decision: lp\n", "decision: season\n", "price*lp", "price*season", "maximize: s*lp", "maximize: s*season", "3 <= lp", "3 <= season"}},
		{"season_", []string{let, strings.Replace(let, "price", "season", 1), "price*lp", "season*lp"}},
		{"season_", []string{"income: inc", "income: inc, season: tax"}},
		{"season__", []string{let, strings.Replace(let, "taste", "season_", 1), "taste*income", "season_*income", "state: s\n", "state: season\n", "habit*s ", "habit*season ", "maximize: s*", "maximize: season*"}},
	} {
		e, err := fitted(t, strings.NewReplacer(append(c.replace, "EFFECTS", "both")...).Replace(linearSpec), linearLog(6, 7, 0.5), Options{})
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		runs(t, e, "out/")
		files, err := e.Files("out")
		if err != nil {
			t.Fatal(err)
		}
		if spec := string(files[SpecFile]); !strings.Contains(spec, " + "+c.name+"\n") && !strings.Contains(spec, " + "+c.name+"\"") {
			t.Errorf("%s is not added to the next state:\n%s", c.name, spec)
		}
	}
}

// People are called person in the spec that is written, unless the model, or the log for it, has given that name to something else.
func TestPeopleHaveANameOfTheirOwn(t *testing.T) {
	evidence.OneGoroutine(t)
	for name, replace := range map[string][]string{
		"person":                           nil,
		"a number of the model":            {`taste: "?"}`, `taste: "?", person: 1, both: 2*person}`, "+ a\n", "+ a + 0*both\n"},
		"a state":                          {"state: s\n", "state: person\n", "habit*s ", "habit*person ", "maximize: s*", "maximize: person*"},
		"a number beside":                  {"income: inc", "person: inc", "taste*income", "taste*person"},
		"a number beside that is not used": {"income: inc", "income: inc, person: tax"},
		"a number beside within let":       {"income: inc", "person: inc", "taste*income", "taste*wealth", `taste: "?"}`, `taste: "?", wealth: 1*person}`},
	} {
		e, err := fitted(t, strings.NewReplacer(append(replace, "EFFECTS", "both")...).Replace(linearSpec), linearLog(6, 7, 0.5), Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		runs(t, e, "out/")
		files, err := e.Files("out")
		if err != nil {
			t.Fatal(err)
		}
		want := "trait: person_["
		if replace == nil {
			want = "trait: person["
		}
		if spec := strings.ReplaceAll(string(files[SpecFile]), `"`, ""); !strings.Contains(spec, want) {
			t.Errorf("%s: want %s\n%s", name, want, spec)
		}
	}
}

// A model that is not linear in its unknowns has no estimates of the linear table: habit and pull by one another, whose slopes at zero are those of habit alone.
func TestModelsThatAreNotLinear(t *testing.T) {
	evidence.OneGoroutine(t)
	for next, linear := range map[string]bool{"habit*p + pull*q*d": true, "habit*p + (pull + 0.5*habit)*q*d": true, "habit*p + habit*pull*q*d": false, "habit*p + sin(pull)*q*d": false, "habit*p + (pull*q)^2*d": false} {
		e, err := fitted(t, strings.Replace(bareSpec, "habit*p + pull*q*d", next, 1), swung(0.5), Options{})
		if err != nil {
			t.Fatalf("%s: %v", next, err)
		}
		if (len(e.Linear) > 0) != linear {
			t.Errorf("%s has %d linear estimates", next, len(e.Linear))
		}
	}
	for next, linear := range map[string]bool{"0.5*p + pull*q*d": true, "0.5*p + 2*q*d + pull": false} { // one column, and none but what is added to all
		e, err := fitted(t, strings.NewReplacer("habit*p + pull*q*d", next, `habit: "? in [0, 1]", `, "").Replace(bareSpec), swung(0.5), Options{})
		if err != nil {
			t.Fatalf("%s: %v", next, err)
		}
		if (len(e.Linear) > 0) != linear || !e.Told() {
			t.Errorf("%s has %d linear estimates, told %t", next, len(e.Linear), e.Told())
		}
	}
}

// A number that everybody meets is taken for what it is in sections, too: half of the answer by way of a column that is the decision again is the answer.
func TestSectionsWithNumbersBeside(t *testing.T) {
	people, _ := sectionLog(6, 30)
	kindOf := []string{"KIND", "sections", "TRAITS", ", traits: d"}
	plain, err := fitted(t, strings.NewReplacer(kindOf...).Replace(sampled), people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	beside, err := fitted(t, strings.NewReplacer("KIND", "sections", "TRAITS", ", traits: d, beside: {again: q}", "answer*q", "answer*(0.5*q + 0.5*again)").Replace(sampled), people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, f := range beside.Found {
		if want := plain.Found[j]; f.Name != want.Name || !(math.Abs(float64(f.Value-want.Value)) <= 1e-6) || !(math.Abs(float64(f.Error-want.Error)) <= 1e-6) {
			t.Errorf("%+v, want %+v", f, want)
		}
	}
	twice, err := fitted(t, strings.NewReplacer("KIND", "sections", "TRAITS", ", traits: d, beside: {again: q}", "answer*q", "answer*q + more*again", `answer: "?"`, `answer: "?", more: "?"`).Replace(sampled), people, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if blind := strings.Join(twice.Blind, "\n"); !strings.Contains(blind, "q and again always moved together") {
		t.Errorf("what each of the two does is %q", blind)
	}
}

// A file of numbers that is not there, and one whose numbers are not those of a state, are told at their places.
func TestModelsThatCannotBeFitted(t *testing.T) {
	for _, c := range []struct{ file, want string }{
		{"gone.csv", "odd.yaml:7: gone.csv: open gone.csv: file does not exist"},
		{"two.csv", "odd.yaml:8: model.next"},
	} {
		spec := strings.NewReplacer("EFFECTS", "person", `taste: "?"}`, `taste: "?", table: {file: `+c.file+`}}`, "+ a\n", "+ a + table\n").Replace(linearSpec)
		s, err := problem.Parse(kind.Standard(), "odd.yaml", []byte(spec))
		if err != nil {
			t.Fatal(err)
		}
		e, err := Fit(t.Context(), s, fstest.MapFS{"log.csv": {Data: []byte(linearLog(5, 6, 0.5))}, "two.csv": {Data: []byte("1\n2\n")}}, Options{Seed: 1})
		if e != nil || err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A name is taken by whatever has it: what was found, a key of the model however deep, a text in which it is, or a column beside.
func TestNamesThatAreFree(t *testing.T) {
	mapping := func(key string, item *form.Node) *form.Node {
		out := &form.Node{Shape: form.Mapping}
		out.Put(key, item)
		return out
	}
	none, plain := &form.Node{Shape: form.Mapping}, text("habit*s")
	for want, c := range map[string]struct {
		let, model *form.Node
		beside     []string
	}{
		"x":     {none, mapping("next", plain), []string{"y"}},
		"x_":    {mapping("x", plain), none, nil},
		"x__":   {none, mapping("let", mapping("x_", mapping("x", plain))), nil},
		"x___":  {mapping("x_", plain), mapping("let", mapping("half", list([]string{"0.5*x__"}))), nil},
		"x____": {mapping("x", plain), mapping("next", text("x_ + x__")), []string{"s", "x___"}},
	} {
		if got := free("x", c.let, c.model, c.beside); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
