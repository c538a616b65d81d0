package kind

import (
	"fmt"
	"io/fs"
	"slices"

	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/population"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/stream"
)

// Law is a kind of distributions from which traits or first states are drawn.
type Law interface {
	form.Kind
	// Describe describes its keys.
	Describe(f *form.Form)
	// Check looks for what does not fit vectors of so many entries.
	Check(s *Scene, path string, n form.Length)
	// Build makes the law of vectors of dim entries. Files are read from files.
	Build(dim int, files fs.FS) (population.Law, error)
	// Words says what is drawn, as in "Traits d stay as they are: random proportions."
	Words() string
	// Habitat is where the vectors live. From what is Listed nobody new can be drawn.
	Habitat() Habitat
}

// Published is a Law that the published programs drew, in a way of their own.
type Published interface {
	// Publish returns how they drew a population of so many people, nil if they did not draw that.
	Publish(size, dim int) func(traits []float64, g *stream.NumPy) error
}

// DescribeLaw describes a law by its kind and the keys of that.
func (c *Catalogue) DescribeLaw(f *form.Form, x *Law) { describeLaw(f, x, c.Laws, "") }

func describeLaw(f *form.Form, x *Law, known []Law, absent string) {
	f.Shared("law", func() {
		form.Pick(f, "law", x, known, absent, form.Says("How traits (or first states) are drawn.", "", "cap"))
		if *x != nil {
			(*x).Describe(f)
		}
	})
}

// PeopleLaw describes the law of a population, which may also be the columns of a table. It comes in two steps: first which law it will
// be, for keys that come before it, and then the law.
func (c *Catalogue) PeopleLaw(f *form.Form, x *Law) (isTable bool, describe func()) {
	known, absent := append(slices.Clip(c.Laws), &ColumnsLaw{}), ""
	if f.Has("file") {
		absent = Columns
	}
	isTable = form.Ahead(f, "law", *x, known, absent) == Columns
	return isTable, func() { describeLaw(f, x, known, absent) }
}

// CheckLaw checks a law, unless it was not read, and refuses one whose draws the dynamics cannot move: polarized individuals stand
// on the unit sphere, those who choose hold proportions.
func CheckLaw(s *Scene, path string, x Law, n form.Length) {
	if x == nil {
		return
	}
	x.Check(s, path, n)
	if path := path + ".law"; !s.Habitat.admits(x.Habitat()) && s.Sound(path, "dynamics.kind") {
		s.Fail(form.Paths(path, "dynamics.kind"), "%s is %s, but %s dynamics want %s", path, form.NameOf(x), s.Dynamics, phrase.EnumerateBy(s.Habitat.laws(), "or"))
	}
}

// IsListed tells whether a law is of individuals that somebody wrote down, so that nobody can be drawn anew.
func IsListed(x Law) bool { return x != nil && x.Habitat() == Listed }

// Publish returns how the published programs drew a population, nil if they did not draw that.
func Publish(x Law, size, dim int) func(traits []float64, g *stream.NumPy) error {
	if p, ok := x.(Published); ok {
		return p.Publish(size, dim)
	}
	return nil
}

// around is what caps are made of.
type around struct {
	Angle float64   // in degrees: at most so far from the axis
	Axis  []float64 // nil: drawn
}

func (a *around) describe(f *form.Form, widest float64) {
	want := fmt.Sprintf("an angle in degrees, above 0 and up to %v", widest)
	form.Field(f, "angle", &a.Angle, form.Number(want, form.Above(0, widest)),
		form.Says("How far from the axis individuals are at most, in degrees; 90 is a hemisphere.", "", "90"))
	form.Field(f, "axis", &a.Axis, form.Numbers(form.Finite()).Optional(),
		form.Says("The axis; only its direction matters. Without one the axis is drawn.", "", "[1, 0, 0]"))
}

func (a *around) check(s *Scene, path, name string, n form.Length) {
	s.Direction(path+".axis", a.Axis, n)
	s.FailIf(a.Angle > 0 && n.N == 1, append(form.Paths(path+".law"), n.From...),
		"%s.law is %s, which wants at least 2 dimensions", path, name)
}
