package kind_test

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/stream"
)

// laws are right and wrong ones of traits of two entries.
func laws() []string {
	return []string{
		"{law: bimodal, angle: 30}", "{law: bimodal, angle: 30, share: 0.9, axis: [3, 4]}", "{law: bimodal, angle: 91}", "{law: bimodal, angle: 90, share: 0}", "{law: bimodal}", "{law: cap, angle: 20}", "{law: cap, angle: 180}", "{law: cap, angle: 200}", "{law: cap, angle: 0}", "{law: cap, angle: 40, axis: [1, 0]}", "{law: cap, angle: 40, axis: [0, 0]}", "{law: cap, angle: 40, axis: [1]}", "{law: cap, angle: 40, axis: x}",
		"{law: values, values: [[1, 0], [0, 1]]}", "{law: values, values: [[0.6, 0.8], [0.5, 0.5]]}", "{law: values, values: [[1, 0]]}", "{law: values, values: [[1], [2]]}", "{law: values}", "{law: values, values: [[1, 0], [1]]}", "{law: file, file: a.csv}", "{law: file, file: a.npz, array: traits}", "{law: file, file: none.csv}", "{law: file}", "{law: file, file: a.csv, array: ''}",
		"{law: dirichlet}", "{law: dirichlet, concentration: [1, 2]}", "{law: dirichlet, concentration: [1]}", "{law: dirichlet, concentration: 0}", "{law: normal}", "{law: normal, mean: [1, 2], deviation: 0.5}", "{law: normal, mean: 3, deviation: [0, 1]}", "{law: normal, deviation: -1}", "{law: normal, mean: [1], deviation: [1, 2, 3]}", "{law: proportions}", "{law: sphere}", "{law: sphere, angle: 3}", "{law: none}", "{}",
	}
}

// drawn is what a law draws of three people, and what the published programs drew of one.
func drawn(x kind.Law, dim int, files fstest.MapFS) (lines []string) {
	law, err := x.Build(dim, files)
	if err != nil {
		return []string{"  not built: " + err.Error()}
	}
	if err := law.Check(2, dim); err != nil {
		return []string{"  cannot draw: " + err.Error()}
	}
	rows := make([]float64, 2*dim)
	law.Fill(rows, dim, 0, stream.New(7, "people"))
	lines = append(lines, fmt.Sprintf("  %T draws %s", law, figures(rows)))
	for _, size := range []int{1, 2} {
		if draw := kind.Publish(x, size, dim); draw != nil {
			traits, g := make([]float64, size*dim), stream.NewNumPy(3)
			err := draw(traits, g)
			lines = append(lines, fmt.Sprintf("  published for %d: %s %v, and then %d", size, figures(traits), err, g.Uint32()))
		}
	}
	return lines
}

// Laws are read, checked, refused, printed and drawn from as when this was recorded.
func TestLawsAsRecorded(t *testing.T) {
	c := kind.Standard()
	files := fstest.MapFS{"a.csv": {Data: []byte("x,y\n1,2\n3,4\n")}}
	var got []string
	for _, text := range laws() {
		for _, d := range []kind.Dynamics{&kind.AffineDynamics{}, &kind.PolarizedDynamics{}, &kind.ChoiceDynamics{}} {
			var x kind.Law
			describe := below("population", func(f *form.Form) { c.DescribeLaw(f, &x) })
			s := read("dynamics: {}\npopulation: "+text, func(f *form.Form) {
				f.Know("dynamics")
				describe(f)
			})
			scene := s.scene(d, 2, 2)
			kind.CheckLaw(scene, "population", x, scene.Trait())
			got = append(got, fmt.Sprintf("%s under %s", text, form.NameOf(d)))
			if s.found.Join() != nil {
				got = append(got, s.told()...)
				continue
			}
			got = append(got, fmt.Sprintf("  %s; %s lives %d listed %v", form.Print(describe).Flow(), x.Words(), x.Habitat(), kind.IsListed(x)))
			got = append(got, drawn(x, 2, files)...)
		}
	}
	for _, x := range []kind.Law{&kind.CapLaw{}, &kind.ProportionsLaw{}, &kind.SphereLaw{}} {
		if l, ok := x.(*kind.CapLaw); ok {
			l.Angle = 90
		}
		for _, dim := range []int{1, 3, 4, 5} {
			s := read("population: {}", people(new(int), new(int)))
			scene := s.scene(nil, dim, 2)
			kind.CheckLaw(scene, "population", x, scene.Trait())
			got = append(append(got, fmt.Sprintf("%s of %d", form.NameOf(x), dim)), s.told()...)
			if s.found.Join() == nil {
				got = append(got, drawn(x, dim, files)...)
			}
		}
	}
	got = append(got, fmt.Sprint(kind.IsListed(nil), kind.Publish(nil, 1, 4) == nil))
	var x kind.Law
	recorded(t, "laws.txt", append(got, vocabulary(func(f *form.Form) { c.DescribeLaw(f, &x) })...))
}

// What could not be read is not held against a law, nor are dimensions that are not known.
func TestLawsOfWhatWasNotRead(t *testing.T) {
	c := kind.Standard()
	for _, text := range []string{"{law: values, values: [[1, 0, 0]], size: 0, dim: 2}", "{law: normal, mean: [1], size: 2, dim: 0}", "{law: cap, angle: 40, axis: [1], size: 2, dim: 0}"} {
		var x kind.Law
		dim, size := 0, 0
		s := read("population: "+text, below("population", func(f *form.Form) {
			form.Field(f, "dim", &dim, form.Count(1, 9), says())
			form.Field(f, "size", &size, form.Count(1, 9), says())
			c.DescribeLaw(f, &x)
		}))
		before := len(s.found.Found)
		scene := s.scene(nil, dim, size)
		kind.CheckLaw(scene, "population", x, scene.Trait())
		kind.CheckLaw(scene, "population", nil, scene.Trait())
		if before != 1 || len(s.found.Found) != 1 {
			t.Errorf("%s: %v", text, s.told())
		}
	}
}

// People of a table are read by its columns.
func TestPeopleOfTablesAsRecorded(t *testing.T) {
	c := kind.Standard()
	files := fstest.MapFS{"a.csv": {Data: []byte("age,income,region\n20,1,north\n30,2,south\n40,4,north\n")}}
	var got []string
	for _, text := range []string{
		"{file: a.csv, traits: [age/10, income]}", "{law: columns, file: a.csv, traits: income, states: [age], where: age > 20, weight: income, group: region}", "{file: a.csv, traits: income, states: same}", "{file: a.csv, traits: [nothing]}", "{file: none.csv, traits: [age]}", "{law: columns, traits: [age]}", "{file: a.csv}", "{law: sphere}", "{law: file, file: a.csv}", "{law: column, file: a.csv}", "{}", "{file: a.csv, traits: [], states: {}, where: '', weight: [], group: ''}",
	} {
		var x kind.Law
		table := false
		describe := func(f *form.Form) {
			isTable, law := c.PeopleLaw(f, &x)
			law()
			if l, ok := x.(*kind.ColumnsLaw); ok && isTable {
				l.DescribeColumns(f)
			}
			table = isTable
		}
		s := read("population: "+text, below("population", describe))
		got = append(append(got, fmt.Sprintf("%s table %v", text, table)), s.told()...)
		if s.found.Join() != nil {
			continue
		}
		scene := s.scene(nil, 1, 3)
		kind.CheckLaw(scene, "population", x, scene.Trait())
		got = append(got, fmt.Sprintf("  %s; %s lives %d %v", form.Print(describe).Flow(), x.Words(), x.Habitat(), s.told()))
		law, err := x.Build(1, files)
		if err != nil {
			got = append(got, "  not built: "+strings.ReplaceAll(err.Error(), "\n", "\n  "))
			continue
		}
		got = append(got, fmt.Sprintf("  %T %+v", law, law))
	}
	l := &kind.ColumnsLaw{}
	got = append(got, vocabulary(func(f *form.Form) {
		var x kind.Law
		_, law := c.PeopleLaw(f, &x)
		law()
	})...)
	recorded(t, "tables.txt", append(got, vocabulary(l.DescribeColumns)...))
}

// First decisions are read, refused and filled as when this was recorded.
func TestStartsAsRecorded(t *testing.T) {
	c := kind.Standard()
	var got []string
	for _, text := range []string{"{}", "{law: zero}", "{law: sphere}", "{law: proportions}", "{law: values, values: [0.5, 2]}", "{law: values, values: [1]}", "{law: values}", "{law: values, values: [x]}", "{law: value}", "{law: zero, values: [1]}"} {
		var x kind.Start
		describe := below("start", func(f *form.Form) { c.DescribeStart(f, &x) })
		s := read("start: "+text, describe)
		if x != nil {
			x.Check(s.scene(nil, 2, 2))
		}
		if got = append(append(got, text), s.told()...); s.found.Join() != nil {
			continue
		}
		for _, r := range []kind.Numbers{stream.New(5, "start"), stream.NewNumPy(5)} {
			u := make([]float64, 2)
			x.Fill(u, r, 7)
			got = append(got, fmt.Sprintf("  %s %T %s divides %v", form.Print(describe).Flow(), r, figures(u), x.Divides()))
		}
	}
	var x kind.Start
	recorded(t, "starts.txt", append(got, vocabulary(func(f *form.Form) { c.DescribeStart(f, &x) })...))
}
