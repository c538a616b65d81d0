package kind

import (
	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/set"
)

// Set is a kind of sets of feasible decisions.
type Set interface {
	form.Kind
	// Describe describes its keys. Sets made of others find their kinds in the catalogue.
	Describe(f *form.Form, c *Catalogue)
	// Check looks for lengths that do not fit and refuses sets that are plainly empty. n is the length of a decision.
	Check(s *Scene, path string, n form.Length)
	// Build makes the set of n-vectors.
	Build(n int) (kedge.Set, error)
	// Words says which decisions are feasible, as in "A decision u of 3 numbers: any."
	Words() string
}

// Shrinker is a Set that has an inside.
type Shrinker interface {
	// Shrink returns the set of points from which all points within delta are in the set, and whether there is one of the kind.
	Shrink(delta float64, n int) (Set, bool)
}

// Separable is a Set that may bound every entry by itself.
type Separable interface{ Separates() bool }

// Dividing is a Set whose decisions divide a sum.
type Dividing interface{ Total() float64 }

// SketchedSet is a Set that a few answers describe.
type SketchedSet interface {
	// Sketch writes its keys, for entries between two numbers that add up to a sum where the set wants one.
	Sketch(lower, upper, sum float64) string
}

// DescribeSet describes a set by its kind and the keys of that.
func (c *Catalogue) DescribeSet(f *form.Form, x *Set) {
	f.Shared("set", func() {
		of, which := Relaxed(*x)
		form.Pick(f, "kind", &of, c.Sets, "", form.Says("The shape of the set.", "", "ball"))
		if of != nil {
			of.Describe(f, c)
		}
		DescribeIntegers(f, &which)
		if !f.Prints() {
			*x = Integer(of, which)
		}
	})
}

// DescribeIntegers describes the key that says which entries are whole numbers.
func DescribeIntegers(f *form.Form, x *form.Chosen) {
	form.Field(f, "integer", x, form.SomeEntries().Optional(), form.Says(
		"Which entries are whole numbers: true for all, or a list of entries, by number from 0 or by name. Rules then walk between the whole numbers and deploy the nearest. Sets other than box and whole take all or none.",
		"uᵢ ∈ ℤ", "true"))
}

// Integer returns the part of a set that is whole in some entries, the set itself where none is.
func Integer(of Set, which form.Chosen) Set {
	if of == nil || which.None() {
		return of
	}
	return &IntegerSet{Of: of, Which: which}
}

// Named returns a set in which names stand for entries of the decision.
func Named(x Set, names []string) Set {
	if w, ok := x.(*IntegerSet); ok {
		return &IntegerSet{w.Of, w.Which, names}
	}
	return x
}

// Relaxed returns a set as it is without whole numbers, and which entries have them.
func Relaxed(x Set) (Set, form.Chosen) {
	if w, ok := x.(*IntegerSet); ok {
		return w.Of, w.Which
	}
	return x, form.Chosen{}
}

// IsDiscrete tells whether a set has gaps.
func IsDiscrete(x Set) bool {
	switch x.(type) {
	case *IntegerSet, *FiniteSet:
		return true
	}
	return false
}

// CheckConvex refuses a set with gaps, or one with such a part, where it cannot stand.
func CheckConvex(c *Scene, path string, x Set, where string) {
	if IsDiscrete(x) {
		key := path + ".integer"
		if form.NameOf(x) == "finite" {
			key = path + ".kind"
		}
		c.Fail(form.Paths(key), "%s: %s takes no whole numbers and no lists of points", key, where)
	}
}

// CheckSet checks a set, unless its kind was not read.
func CheckSet(s *Scene, path string, x Set, n form.Length) {
	if x != nil {
		x.Check(s, path, n)
	}
}

// BuildSet makes a set of n-vectors and checks it.
func BuildSet(x Set, n int) (kedge.Set, error) {
	made, err := x.Build(n)
	if err != nil {
		return nil, err
	}
	return made, set.Check(made, n)
}

// Shrink returns the set of points from which all points within delta are in x, and whether x has an inside.
func Shrink(x Set, delta float64, n int) (Set, bool) {
	if s, ok := x.(Shrinker); ok {
		return s.Shrink(delta, n)
	}
	return nil, false
}

// Separates tells whether a set bounds every entry by itself.
func Separates(x Set) bool {
	of, _ := Relaxed(x)
	s, ok := of.(Separable)
	return ok && s.Separates()
}

// Divides returns what the decisions of a set add up to, and whether they do.
func Divides(x Set) (total float64, ok bool) {
	of, _ := Relaxed(x)
	if s, ok := of.(Dividing); ok {
		return s.Total(), true
	}
	return 0, false
}

// describeUpper describes bounds from above, which several sets have.
func describeUpper(f *form.Form, x *form.Vector, each form.Codec[float64]) {
	form.Field(f, "upper", x, form.VectorOf(each),
		form.Says("The largest value of the entries, one for all or one each; .inf: none.", "u ≤ upper", "5"))
}

// describeSum describes what entries add up to, which several sets have.
func describeSum(f *form.Form, x *float64) {
	form.Field(f, "sum", x, form.NotNegative(), form.Says("What the entries add up to, such as a budget.", "Σu = sum", "250"))
}

// describeBall describes how far decisions may be from where, which several sets do.
func describeBall(f *form.Form, radius *float64, center *form.Vector) {
	const inBall = "‖u − center‖ ≤ radius"
	form.Field(f, "radius", radius, form.Positive(), form.Says("The radius of the ball.", inBall, "1"))
	form.Field(f, "center", center, form.VectorOf(form.Finite()).Or(form.Vector{}), form.Says("The center of the ball.", inBall, "0"))
}

// centerWords says where a center is.
func centerWords(v form.Vector) string {
	if v.Each == nil && v.All == 0 {
		return "0"
	}
	return "a given point"
}

// boundWords says what bounds an entry.
func boundWords(v form.Vector) string {
	if v.Each != nil {
		return "limits of its own"
	}
	return phrase.Exact(v.All)
}
