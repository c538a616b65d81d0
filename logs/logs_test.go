package logs

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/problem/record"
	"github.com/kedge-opt/kedge/stream"
)

const shop = `
iterations: 30
model:
  decision: q[2]
  state: p[2]
  trait: d[2]
  let: {habit: "? in [0, 1]", B: "?[2, 2]", cost: [2, 3]}
  next: habit*p + (1-habit)*(d - B @ q)
  maximize: dot(p, q - cost)
  subject to: 0 <= q <= 15
data: {file: log.csv, person: who, time: week, decision: [qa, qb], states: [pa, pb], traits: [da, db]}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// shopLog is a log of people who have the habit 0.8 and answer by B = [1.2, -0.2; -0.1, 0.9]; together makes both prices move as one.
func shopLog(people, weeks int, together bool) string {
	s := stream.New(7, "test", "shop")
	b := [2][2]float64{{1.2, -0.2}, {-0.1, 0.9}}
	q := make([][2]float64, weeks)
	for t := range q {
		q[t] = [2]float64{4 + s.Normal(), 6 + s.Normal()}
		if together {
			q[t][1] = 2 * q[t][0]
		}
	}
	var text strings.Builder
	text.WriteString("who,week,qa,qb,pa,pb,da,db\n")
	for i := range people {
		d := [2]float64{10 + s.Normal(), 9 + s.Normal()}
		p := d
		for t := range weeks {
			for e := range p {
				p[e] = 0.8*p[e] + 0.2*(d[e]-b[e][0]*q[t][0]-b[e][1]*q[t][1]) + 0.1*s.Normal()
			}
			fmt.Fprintf(&text, "c%d,%d,%v,%v,%v,%v,%v,%v\n", i, t, q[t][0], q[t][1], p[0], p[1], d[0], d[1])
		}
	}
	return text.String()
}

func fitted(t *testing.T, spec, log string, o Options) (*Inference, error) {
	t.Helper()
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(spec))
	if err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Starts = 1, 2
	return Fit(context.Background(), s, fstest.MapFS{"log.csv": {Data: []byte(log)}}, o)
}

// The numbers that a log was made with are within three errors of what is found, and the spec that is written runs with them.
func TestShopIsFound(t *testing.T) {
	evidence.OneGoroutine(t)
	e, err := fitted(t, shop, shopLog(40, 25, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for j, want := range []float64{0.8, 1.2, -0.2, -0.1, 0.9} {
		f := e.Found[j]
		if off := math.Abs(float64(f.Value) - want); !(off < 3*float64(f.Error)) || !(f.Error < 0.1) {
			t.Errorf("%s is %v ± %v, made with %v", f.Name, f.Value, f.Error, want)
		}
	}
	if !e.Told() || e.Agreed != 3 || len(e.Draws) != drawn || e.Pairs != 40*24 {
		t.Errorf("told %v, %d starts agree, %d draws, %d pairs", e.Told(), e.Agreed, len(e.Draws), e.Pairs)
	}
	if r := e.Answer.Entries[0]; math.Abs(float64(r.Settled.Value)+float64(e.Found[1].Value)) > 1e-6 { // settled p = d - B q
		t.Errorf("pa answers qa by %v settled, B[0,0] is %v", r.Settled.Value, e.Found[1].Value)
	}
	files, err := e.Files("out")
	if err != nil {
		t.Fatal(err)
	}
	if p := runs(t, e, "out/"); p.Individuals() != 40 {
		t.Errorf("%d people", p.Individuals())
	}
	if !strings.HasPrefix(string(files[DrawsFile]), `habit,"B[0,0]","B[0,1]"`) {
		t.Errorf("draws begin with %.40s", files[DrawsFile])
	}
}

// Where prices always moved together, nothing is said of what each of them does, and there is no spec.
func TestPricesThatMoveTogether(t *testing.T) {
	e, err := fitted(t, shop, shopLog(20, 20, true), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Told() || len(e.Blind) != 2 || e.Found[1].Value.Known() || e.Draws != nil || !e.Found[0].Value.Known() {
		t.Errorf("blind %q, found %+v", e.Blind, e.Found)
	}
	files, err := e.Files("")
	if err != nil || files[SpecFile] != nil || files[DrawsFile] != nil || !strings.Contains(string(files[JSONFile]), `"value": null`) {
		t.Errorf("files %v, %v", files, err)
	}
}

// A spec with unknowns does not run, and says what does.
func TestUnknownsDoNotRun(t *testing.T) {
	s, err := problem.Parse(kind.Standard(), "shop.yaml", []byte(shop))
	if err != nil {
		t.Fatal(err)
	}
	_, err = problem.Build("shop", s, fstest.MapFS{})
	var unfit *problem.UnknownsError
	if !errors.As(err, &unfit) || !strings.Contains(err.Error(), "shop.yaml:7: habit and B are unknown: kedge fit shop.yaml") {
		t.Errorf("the error is %v", err)
	}
}

const linearSpec = `
iterations: 30
model:
  decision: lp
  state: s
  trait: a
  let: {habit: "?", price: "?", taste: "?"}
  next: habit*s + price*lp + taste*income + a
  maximize: s*lp
  subject to: 3 <= lp <= 5
data: {file: log.csv, person: who, time: week, decision: lp, states: s, beside: {income: inc}, effects: EFFECTS}
algorithms: [{name: composite, step: 0.02, batch: 10}]
`

// linearLog is of people with a constant of their own each, and a habit of 0.6, a price of -0.5 and a taste of 0.3; price follows demand by so much.
func linearLog(people, weeks int, follows float64) string {
	s := stream.New(3, "test", "linear")
	var text strings.Builder
	text.WriteString("who,week,lp,s,inc,tax\n")
	for i := range people {
		a := s.Normal()
		y := a / 0.4
		for t := range weeks {
			tax, shock := s.Normal(), 0.2*s.Normal()
			lp := 4 + 0.5*tax + follows*shock
			inc := s.Normal()
			y = 0.6*y - 0.5*lp + 0.3*inc + a + shock
			fmt.Fprintf(&text, "%d,%d,%v,%v,%v,%v\n", i, t, lp, y, inc, tax)
		}
	}
	return text.String()
}

// runs wants a spec among the files of a fit that can be built with the others, in a folder.
func runs(t *testing.T, e *Inference, folder string) *problem.Problem {
	t.Helper()
	files, err := e.Files(strings.TrimSuffix(folder, "/"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := problem.Parse(kind.Standard(), "fitted.yaml", files[SpecFile])
	if err != nil {
		t.Fatalf("%v\n%s", err, files[SpecFile])
	}
	p, err := problem.Build("fitted", s, fstest.MapFS{folder + "people.csv": {Data: files[record.PeopleFile]}, folder + "draws.csv": {Data: files[DrawsFile]}})
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, files[SpecFile], files[record.PeopleFile])
	}
	return p
}

// A model that is linear in its unknowns is found with effects of people, who keep their constants in the spec that is written.
func TestLinearModelsHaveEffects(t *testing.T) {
	evidence.OneGoroutine(t)
	e, err := fitted(t, strings.Replace(linearSpec, "EFFECTS", "person", 1), linearLog(30, 40, 0), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Method != Within || len(e.Linear) != 4 {
		t.Fatalf("found by %s of %d", e.Method, len(e.Linear))
	}
	for j, want := range []float64{0.6, -0.5, 0.3} {
		if f := e.Found[j]; math.Abs(float64(f.Value)-want) > 0.03 {
			t.Errorf("%s is %v, made with %v", f.Name, f.Value, want)
		}
	}
	runs(t, e, "out/")
}

// Prices that follow demand mislead least squares; a tax that moves them and nothing else tells the answer.
func TestInstrumentsTellTheAnswer(t *testing.T) {
	evidence.OneGoroutine(t)
	spec := strings.Replace(strings.Replace(linearSpec, "EFFECTS", "person, instruments: [tax]", 1), "effects: none", "effects: person", 1)
	e, err := fitted(t, spec, linearLog(30, 40, 2), Options{})
	if err != nil {
		t.Fatal(err)
	}
	misled := -1.0
	for _, l := range e.Linear {
		if l.Method == Within {
			misled = float64(l.Values[1].Value)
		}
	}
	if e.Method != TwoStage || math.Abs(float64(e.Found[1].Value)+0.5) > 0.05 || math.Abs(misled+0.5) < 0.1 {
		t.Errorf("by %s price is %v, without instruments %v, made with -0.5", e.Method, e.Found[1].Value, misled)
	}
}

// Logs that do not fit the model, or say nothing, are refused with the key and what to do.
func TestOddLogs(t *testing.T) {
	const head = "who,week,qa,qb,pa,pb,da,db\n"
	for _, c := range []struct{ spec, log, want string }{
		{shop, head + "a,1,1,1,1,1,1,1\nb,1,1,1,1,1,1,1\n", "data.time: nobody has two rows a turn apart"},
		{strings.Replace(shop, "states: [pa, pb]", "states: [pa]", 1), head + "a,1,1,1,1,1,1,1\na,2,1,1,1,1,1,1\n", "data.states: gives 1 entry (pa), a state has 2"},
		{strings.Replace(shop, ", traits: [da, db]", "", 1), head + "a,1,1,1,1,1,1,1\na,2,1,1,1,1,1,1\n", "data.traits: missing, and model.next names the trait d"},
		{shop, head + "a,1,1,1,1,1,1,1\na,2,1,1,1,1,1,1\n", "say nothing of"},
		{shop, head + "a,1,1,1,1,1,1,1\na,2,1,1,1e300,1,1,1\na,3,1,1,-1e300,1,1,1\na,4,1,1,1e300,1,1,1\na,5,1,1,1e300,1,1,1\n", ""},
	} {
		e, err := fitted(t, c.spec, c.log, Options{})
		switch {
		case err == nil && e.Told():
			t.Errorf("%q tells %+v", c.log, e.Found)
		case err != nil && !strings.Contains(err.Error(), c.want):
			t.Errorf("%q gives %v, want %q", c.log, err, c.want)
		case err == nil && c.want != "":
			t.Errorf("%q gives no error, want %q", c.log, c.want)
		}
	}
}

// Where times have effects and prices were the same for all, a prior is told as one, and never as if it had been found.
func TestPriorsAreToldAsPriors(t *testing.T) {
	evidence.OneGoroutine(t)
	spec := strings.Replace(strings.Replace(shop, `"?[2, 2]"`, `"?[2, 2] ~ normal(0, 5)"`, 1), "data: {", "data: {effects: time, ", 1)
	e, err := fitted(t, spec, shopLog(20, 20, false), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f := e.Found[2]; f.Value != 0 || f.Error != 5 || f.Note != "the prior alone" || e.Found[0].Note != "" {
		t.Errorf("found %+v", e.Found)
	}
	if !strings.Contains(strings.Join(e.Warn, " "), "qa and qb moved for all alike, which effects of times take out") {
		t.Errorf("warnings are %q", e.Warn)
	}
}

// Dynamics of a kind are found by what they are in formulas: λ = 0.4 and ε = 0.7 of choices that nothing disturbs, to the digits of the log.
func TestKindsAreFound(t *testing.T) {
	s := stream.New(5, "test", "choice")
	var text strings.Builder
	text.WriteString("who,week,ua,ub,pa,pb,da,db\n")
	for i := range 5 {
		d := s.Float64()
		p := d
		for week := range 12 {
			a, b := s.Float64(), s.Float64()
			p = 0.4*p + 0.5/(1+math.Exp(0.7*(a-b))) + 0.1*d
			fmt.Fprintf(&text, "%d,%d,%v,%v,%v,%v,%v,%v\n", i, week, a, b, p, 1-p, d, 1-d)
		}
	}
	e, err := fitted(t, chosenSpec, text.String(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if e.Found[0].Name != "lambda1" || math.Abs(float64(e.Found[0].Value)-0.4) > 1e-6 || math.Abs(float64(e.Found[1].Value)-0.7) > 1e-6 {
		t.Errorf("found %+v", e.Found)
	}
	runs(t, e, "")
	if spec, err := problem.Parse(kind.Standard(), "x.yaml", e.Spec.YAML()); err != nil || len(spec.Unknowns()) != 2 {
		t.Errorf("as it is printed the spec has other unknowns: %v\n%s", err, e.Spec.YAML())
	}
}

// Whatever a log holds that has the right columns, it is refused, or nothing is told that is no number.
func TestHostileLogs(t *testing.T) {
	const head = "who,week,qa,qb,pa,pb,da,db\n"
	row := func(who, week int, q, p, d float64) string {
		return fmt.Sprintf("%d,%d,%v,%v,%v,%v,%v,%v\n", who, week, q, q+float64(week%3), p, -p, d, d)
	}
	for name, number := range map[string]func(i int) (q, p, d float64){
		"constant":      func(int) (float64, float64, float64) { return 1, 1, 1 },
		"zero":          func(int) (float64, float64, float64) { return 0, 0, 0 },
		"tiny":          func(i int) (float64, float64, float64) { return 1e-300 * float64(i%7), 1e-300 * float64(i%5), 1e-300 },
		"huge":          func(i int) (float64, float64, float64) { return 1e150 * float64(i%7), 1e160 * float64(i%5), 1e150 },
		"contradictory": func(i int) (float64, float64, float64) { return 1, float64(i % 2), 1 },
		"exploding":     func(i int) (float64, float64, float64) { return 1, math.Pow(3, float64(i%30)), 1 },
	} {
		text := head
		for i := range 90 {
			q, p, d := number(i)
			text += row(i/30, i%30, q, p, d)
		}
		e, err := fitted(t, shop, text, Options{})
		if err != nil {
			continue
		}
		for _, f := range e.Found {
			if e.Told() && (!f.Value.Known() || !f.Error.Known() && f.Note == "") {
				t.Errorf("%s: %+v", name, f)
			}
		}
		files, err := e.Files("")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if text := files[SpecFile]; text != nil {
			if _, err := problem.Parse(kind.Standard(), "fitted.yaml", text); err != nil {
				t.Errorf("%s: %v\n%s", name, err, text)
			}
		}
		t.Logf("%s: %v %q", name, e.Found, e.Blind)
	}
}
