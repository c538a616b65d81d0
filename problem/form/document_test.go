package form

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/internal/evidence"
)

// toy is a document with keys of every sort.
type toy struct {
	Title        string
	Trials       int
	Colour, Tint string
	Each         Vector
	Rule         rule
	Parts        []part
	Shade        *float64
	Inner, Twin  part
	Word         *part
	Expr         string
	Body         part
	Sums         map[string]string
	Extra        float64
	Own          []string
	Follow       int
	File         string
	Way, Turn    string
	Speed        float64
	Gear         int
}

// rule is of one of two kinds.
type rule interface {
	Kind
	keys(f *Form)
}
type still struct{ Calm float64 }
type quick struct {
	Step float64
	How  string
	Wide float64
}

func (*still) Word() Option { return Choice("still", "Does nothing.", "u⁺ = u") }
func (s *still) keys(f *Form) {
	Field(f, "calm", &s.Calm, Share().Or(0.25), Says("How calm.", "c", "0.5"))
}
func (*quick) Word() Option {
	o := Choice("quick", "Goes.", "u⁺ = u − η g(u)")
	o.Note = " Mind the step."
	return o
}
func (q *quick) keys(f *Form) {
	Field(f, "step", &q.Step, Positive(), Says("How far.", "η", "0.1"))
	f.Refine("how", &q.How, OneOf(Choice("wide", "Much.", ""), Choice("narrow", "Little.", ""), Choice("even", "Both.", "")).Or("narrow"), Says("How much.", "", "wide"))
	if q.How == "wide" {
		Field(f, "width", &q.Wide, Positive().Or(3), Says("How wide.", "", "2"))
	}
}

func rules() []rule { return []rule{&still{}, &quick{}} }

// describe has keys of every sort.
func (d *toy) describe(f *Form) {
	Field(f, "title", &d.Title, Label(), Says("What it is called.", "", "shop"))
	Field(f, "trials", &d.Trials, Count(1, 99).Or(3), Says("How often.", "n", "5"))
	Field(f, "file", &d.File, FileName().Optional(), Says("Where it is.", "", "a.csv"))
	Field(f, "colour", &d.Colour, OneOf(colours()...).Or("green"), Says("How it looks.", "", "red"))
	Field(f, "each", &d.Each, VectorOf(Share()).Or(Vector{All: 0.5}), Says("What each has, which is told in a sentence that is much longer than a line of a document can be and is broken where it has to be, at a space.", "Σᵢ xᵢ = 1, all of them at once", "[0.1, 0.2]"))
	f.NeedSection("rule", "a mapping with a kind", Says("What decides.", "", ""), func(f *Form) {
		f.Know("note")
		Pick(f, "kind", &d.Rule, rules(), "still", Says("Which rule.", "", "quick"))
		if d.Rule != nil {
			d.Rule.keys(f)
		}
		Field(f, "repeat", &d.Follow, Count(1, 99).Like("trials", d.Trials), Says("How often it decides.", "", "4"))
		f.Refuse("secret", "rule.secret is nobody's business")
	})
	Field(f, "parts", &d.Parts, Parts("a list of parts", func(f *Form, p *part) { p.describe(f) }).Optional(), Says("What it has.", "", ""))
	Field(f, "shade", &d.Shade, Pointed(Share()).Optional(), Says("How dark.", "", "0.5"))
	f.Section("inner", Says("What is inside.", "", ""), func(f *Form) {
		f.Shared("step-like", func() { Field(f, "step", &d.Inner.Step, Positive().Or(1), Says("How far within.", "", "1")) })
	})
	f.Section("twin", Says("The same again.", "", ""), func(f *Form) {
		f.Shared("step-like", func() { Field(f, "step", &d.Twin.Step, Positive().Or(1), Says("How far within.", "", "1")) })
		Field(f, "beside", &d.Speed, Positive().Or(1), Says("How fast beside.", "", "1"))
	})
	f.WordOrSection("word", d.Word == nil, Choice("nothing", "None of it.", ""), "nothing, or a mapping", Says("A word or more.", "", "nothing"), func(f *Form) {
		if !f.outlining() && !f.Prints() {
			d.Word = &part{}
		}
		if p := d.Word; p != nil {
			p.describe(f)
		} else {
			(&part{}).describe(f)
		}
	})
	f.NeedTextOrSection("body", d.Expr, FormulaText("a formula"), func(s string) { d.Expr = s }, "a formula or a mapping", Says("What is in it.", "", "x + y"), d.Body.describe)
	Field(f, "sums", &d.Sums, Sums().Optional(), Says("What files hold.", "", "{}"))
	if f.Decide("extra", d.Extra != 0) {
		Field(f, "extra", &d.Extra, Finite(), Says("More.", "", "1"))
		Field(f, "own", &d.Own, named().Optional(), Says("The author's own.", "", "{a: 1}"))
	}
	if f.May(d.Trials > 50) {
		Field(f, "tint", &d.Tint, OneOf(colours()...).Like("colour", d.Colour), Says("What colour it has within", "", "pink"))
	}
}

// faultless is a document with nothing wrong.
const faultless = "title: shop\nrule: {kind: quick, step: 0.5, how: wide, note: x}\nbody: x + y\nextra: 2\nown: {b: 1, a: 2}\nparts: [{step: 1}, {step: 2}]\ntrials: 60\neach: [0.25, 1]\nfile: a.csv\nword: {step: 3}\nshade: 0\n"

// overlays are what is put over it.
func overlays() []string {
	return []string{
		"{}", "title: null", "title:", "tilte: x\ntitle: null", "zzzzzzzz: 1", "rule: null", "rule: 7", "rule: {kind: slow}", "rule: {kind: quikc}", "rule: {kind: still}", "rule: {kind: null}", "rule: {step: null}", "rule: {stp: 1, step: null}", "rule: {how: even}", "rule: {how: null}", "rule: {secret: 1}",
		"rule: {width: 0}", "rule: {qqqqqq: 1}", "rule: {repeat: 60}", "rule: {repeat: 5}", "body: null", "body: {step: 1}", "body: {}", "body: true", "body: [a]", "parts: []", "parts: 1", "parts: [{step: 0}, {stp: 1}, 3]", "word: nothing", "word: something", "word: [x]", "word: {}",
		"extra: null", "extra: null\nown: null", "extra: x", "own: {c: x}", "own: []", "trials: 3", "trials: 3\ntint: red", "trials: 0", "tint: green", "tint: red", "each: 2", "each: [1, 2]", "each: null", "sums: {a: b}", "sums: x", "inner: {step: 4}", "inner: {step: 0}\ntwin: 3", "colour: blu\nshade: 2",
		"rule: {kind: still}\ntrials: 1\nbody: {step: 0.25}\nextra: null\nown: null\nparts: null\nword: null\nshade: null\nfile: null",
	}
}

// Documents are read, refused, printed and annotated as when this was recorded.
func TestDocumentsAreReadAsRecorded(t *testing.T) {
	var got []string
	all := NewVocabulary((&toy{}).describe)
	for _, text := range overlays() {
		for rank := range 2 {
			found := &Mistakes{}
			root, over := ReadText(found, Place{File: "x.yaml"}, faultless), ReadText(found, Place{File: "y.yaml", Rank: rank}, text)
			root.Merge(over)
			root.Locate("")
			d := &toy{}
			ok := Read(root, found, d.describe)
			got = append(got, fmt.Sprintf("%q %d: %v %s; sound %v %v %v", text, rank, ok, told(found), found.Sound("rule"), found.Sound("rule.step", "each"), found.Sound("parts.0", "trials")))
			if !ok {
				continue
			}
			out := Print(d.describe)
			out.Locate("")
			var files []string
			out.EachFile(func(n *Node) { files = append(files, n.Path+" "+n.Text) })
			got = append(got, fmt.Sprintf("  %q\n  %q %q", out.YAML(), all.Annotate(out), files))
		}
	}
	evidence.AsRecorded(t, "testdata/documents.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// car has a choice that later keys repeat, and keys that two choices decide.
func (d *toy) car(f *Form) {
	way := Ahead(f, "way", d.Rule, rules(), "quick")
	if way == "quick" && f.Has("speed") || f.Prints() {
		Field(f, "speed", &d.Speed, Positive().Or(1), Says("How fast.", "", "2"))
	}
	Pick(f, "way", &d.Rule, rules(), "quick", Says("Which way.", "", "still"))
	if d.Rule != nil {
		d.Rule.keys(f)
	}
}

// follower takes its kind from another key.
func (d *toy) follower(f *Form) {
	Field(f, "colour", &d.Colour, OneOf(colours()...), Says("How it looks.", "", "red"))
	f.Choose("tint", &d.Tint, OneOf(colours()[:2]...).Like("colour", d.Colour), Says("How it looks within.", "", "green"))
	if d.Tint == "red" {
		Field(f, "gear", &d.Gear, Count(1, 5), Says("Which gear.", "", "3"))
	}
}

// What is known of keys is told as when this was recorded: meanings, explanations, completions, schemas.
func TestVocabularyIsToldAsRecorded(t *testing.T) {
	var got []string
	for i, describe := range []func(*Form){(&toy{}).describe, (&toy{}).car, (&toy{}).follower, (&part{}).describe} {
		v := NewVocabulary(describe)
		paths := []string{"", "zzzzzz", "rule.zzzzzz", "rule.stp", "stp", "calm", "parts.0.step", "parts.one.step", "parts.one", "parts.stp", "parts.stp.step", ".ru", "parts.stp.stp", "parts.one.two", "title.x", "rule.", "rule..step", "width", "inner.stpe", "colour.red", "kind"}
		for _, k := range v.Keys() {
			text, err := json.Marshal(k)
			got = append(got, fmt.Sprint(i, " ", string(text), err))
			paths = append(paths, k.Path, k.Path[:len(k.Path)-1], k.Path+".")
		}
		for _, path := range paths {
			k, err := v.Explain(path)
			text, failed := json.Marshal(k)
			got = append(got, fmt.Sprintf("%s: %s %v %v; goes on to %q", path, text, failed, err, v.Complete(path)))
		}
		schema, err := json.Marshal(SchemaOf(describe))
		got = append(got, string(schema), fmt.Sprint(err), fmt.Sprintf("%q", v.Faults()))
		got = append(got, strings.Split(strings.TrimSuffix(string(v.Schema("A toy", "With <keys> & values.")), "\n"), "\n")...)
	}
	evidence.AsRecorded(t, "testdata/vocabulary.txt", got)
}

// What two choices and a followed key decide is read as when this was recorded.
func TestChoicesAreReadAsRecorded(t *testing.T) {
	var got []string
	ways := map[string]func(*toy) func(*Form){
		"car":      func(d *toy) func(*Form) { return d.car },
		"follower": func(d *toy) func(*Form) { return d.follower },
	}
	for _, name := range slices.Sorted(maps.Keys(ways)) {
		for _, text := range []string{"{}", "way: still", "way: quick\nstep: 1", "step: 1\nspeed: 4", "way: still\nspeed: 4", "way: sill\nstep: 1", "step: 2\nhow: wide\nwidth: 9", "colour: red", "colour: red\ngear: 2", "colour: blue\ntint: red\ngear: 6", "colour: blue", "colour: green\ngear: 2", "tint: red\ngear: 1", "colour: green\ntint: null"} {
			found, d := &Mistakes{}, &toy{}
			root := ReadText(found, Place{File: "x.yaml"}, text)
			root.Locate("")
			line := fmt.Sprintf("%s %q: %v %s", name, text, Read(root, found, ways[name](d)), told(found))
			if len(found.Found) == 0 {
				line += "; " + Print(ways[name](d)).Flow()
			}
			got = append(got, line)
		}
	}
	evidence.AsRecorded(t, "testdata/choices.txt", got)
}

// Documents are changed as when this was recorded, and what cannot be is refused.
func TestEditsAreMadeAsRecorded(t *testing.T) {
	const text = "a: {b: 1, c: [1, 2]}\nlist: [{name: one, x: 1}, {name: two–three}, 5]\nd: 7\nbare: [{x: 1}, {y: 2}]\n"
	read := func() *Node {
		root := ReadText(&Mistakes{}, Place{File: "x.yaml"}, text)
		root.Locate("")
		return root
	}
	var got []string
	for _, path := range []string{"a", "a.b", "a.z", "a.c.0", "a.c.1", "a.c.2", "a.c.-1", "a.c.x", "a.b.c", "new.way.down", "list.one", "list.one.x", "list.0.x", "list.two-three", "list.two–three.x", "list.three", "list.2", "list.2.x", "list.3.x", "list.one.name.x", "d.x", "bare.one", "bare.1.y", "bare.one.x", "d", "new"} {
		root := read()
		value := ReadValue(&Mistakes{}, Place{File: "--set", Rank: 2}, path, "{v: 9}")
		err := root.Assign(strings.Split(path, "."), value)
		root.Locate("")
		at := root.PlaceOf(path)
		got = append(got, fmt.Sprintf("%s: %v %s at %s %d:%d:%d", path, err, root.Flow(), at.File, at.Rank, at.Line, at.Column))
		root = read()
		root.Drop(path)
		root.Put("list", &Node{})
		got = append(got, root.Flow())
	}
	for _, over := range []string{"a: {b: 2, e: 3}", "a: null", "a: {b: null}", "list: {x: 1}", "d: {x: 1}", "z: null"} {
		root := read()
		root.Merge(ReadText(&Mistakes{}, Place{File: "y.yaml", Rank: 1}, over))
		c, same := root.Copied(3), root.Copied(-1)
		root.Items[0].Text, root.Keys[0] = "changed", "changed"
		got = append(got, c.Flow(), fmt.Sprint(c.At.Rank, c.Items[0].At.Rank, same.Items[0].At.Rank, same.Items[len(same.Items)-1].At.Rank))
	}
	none := (*Node)(nil)
	got = append(got, fmt.Sprint(none.PlaceOf("a"), none.EntryPath("list", 2), none.IsText("a"), read().EntryPath("list", 3), read().EntryPath("a", 0), read().EntryPath("nothing", 1), read().PlaceOf("a.b.c"), read().PlaceOf("ab")))
	evidence.AsRecorded(t, "testdata/edits.txt", got)
}

// What no key alone is to blame for stands where the last of them was set.
func TestChecksAsRecorded(t *testing.T) {
	var got []string
	root := ReadText(&Mistakes{}, Place{File: "x.yaml"}, "a: 1\nb: 2\n")
	root.Merge(ReadText(&Mistakes{}, Place{File: "y.yaml", Rank: 1}, "b: 3\nc: 4"))
	root.Locate("")
	for _, broken := range []string{"none", "a", "b.c"} {
		c := &Check{Mistakes: &Mistakes{}, Root: root}
		c.Unread(broken)
		c.Fail(Paths("a", "b"), "both %d", 1)
		c.Fail(Paths("b", "a"), "both %d", 2)
		c.Fail(Paths("c", "a", "b"), "all")
		c.FailIf(false, Paths("a"), "not so")
		for _, n := range []Length{c.Known(2, "the decision", "a"), c.Known(2, "the decision", "b", "c"), {0, "nothing", nil}} {
			got = append(got, fmt.Sprint(n.N, c.Length("a", 2, n), c.Length("b", 1, n), c.Vector("a", Vector{All: 1}, n), c.Vector("b", Vector{Each: []float64{1}}, n), c.Vector("b", Vector{Each: []float64{1, 2}}, n)))
			c.Direction("a", []float64{0, 0}, n)
			c.Direction("b", []float64{1e308, 1e308, 1e308}, n)
			c.Direction("c", []float64{3, 4}, n)
			c.Direction("c", nil, n)
		}
		for _, m := range []Matrix{{}, {Scale: 2}, {Rows: RowList{{1, 2}}}, {Rows: RowList{{1, 2}, {3, 4}}}} {
			c.Matrix("b", m, 2, 2, Paths("a"))
			c.Matrix("b", m, 2, 3, Paths("c"))
			c.Matrix("c", m, 1, 2, nil)
		}
		got = append(got, told(c.Mistakes))
		for _, wrong := range c.Found {
			got = append(got, wrong.Path+" "+wrong.Error())
		}
	}
	deep := Under("a", Under("b", errors.New("no")))
	got = append(got, fmt.Sprint(Under("a", nil), deep, Under("a", fmt.Errorf("so: %w", Under("b", errors.New("no")))), errors.Unwrap(deep)), NameOf(nil), NameOf(&quick{}), fmt.Sprint(Fresh(rules(), "none")), fmt.Sprintf("%T", Fresh(rules(), "quick")))
	evidence.AsRecorded(t, "testdata/checks.txt", got)
}
