package problem

import (
	"bytes"
	"encoding/json"
	"math"
	"math/big"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
	"github.com/kedge-opt/kedge/problem/kind"
)

// compiled is the schema as an independent validator reads it.
var compiled = sync.OnceValue(func() *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema(kind.Standard())))
	if err != nil {
		panic(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("spec.schema.json", doc); err != nil {
		panic(err)
	}
	return c.MustCompile("spec.schema.json")
})

// plainJSON is a document as an editor sees it.
func plainJSON(n *form.Node) any {
	switch n.Shape {
	case form.Null:
		return nil
	case form.List:
		out := make([]any, len(n.Items))
		for i, item := range n.Items {
			out[i] = plainJSON(item)
		}
		return out
	case form.Mapping:
		out := map[string]any{}
		for i, item := range n.Items {
			out[n.Keys[i]] = plainJSON(item)
		}
		return out
	}
	return scalarJSON(n)
}

// scalarJSON has a huge number for infinity, which JSON does not know and YAML's readers take for a number.
func scalarJSON(n *form.Node) any {
	x, ok := form.ParseNumber(n.Text)
	switch {
	case !n.Quoted && (n.Text == "true" || n.Text == "false"):
		return n.Text == "true"
	case n.Quoted || !ok:
		return n.Text
	case math.IsInf(x, 0):
		return json.Number(strings.Replace(n.Text, ".inf", "1e400", 1))
	case math.IsNaN(x):
		return n.Text
	}
	if whole, ok := new(big.Int).SetString(n.Text, 10); ok {
		return json.Number(whole.String())
	}
	return json.Number(form.FormatNumber(x))
}

// formMistakes returns a document and what is wrong with its keys and values one by one.
func formMistakes(src string) (*form.Node, error) {
	found := &form.Mistakes{}
	root := Document(found, form.Place{File: "x.yaml"}, src)
	if root == nil {
		return nil, found.Join()
	}
	root.Locate("")
	form.Read(root, found, (&Spec{origin: root}).describe)
	return root, found.Join()
}

// disagreement says how the schema and the reader differ about a document, "" if they do not.
func disagreement(src string) string {
	root, wrong := formMistakes(src)
	if root == nil || beyondSchemas(wrong) {
		return ""
	}
	refused := compiled().Validate(plainJSON(root))
	switch {
	case wrong == nil && refused != nil:
		return "the schema refuses what is read: " + refused.Error()
	case wrong != nil && refused == nil:
		return "the schema accepts what is not read: " + wrong.Error()
	}
	return ""
}

// beyondSchemas tells whether a mistake is of a sort that no schema knows: a key given twice or without a value, infinities,
// rows of unequal length, and a key that depends on another section.
func beyondSchemas(err error) bool {
	if err == nil {
		return false
	}
	for _, sort := range []string{"given twice", "has no value", "is .inf", "is -.inf", "the first row has", ".norm,", `\n`} {
		if strings.Contains(err.Error(), sort) {
			return true
		}
	}
	return false
}

// The schema accepts whatever is read without mistakes; mistakeTest and FuzzParse ask for the rest.
func TestSchemaAcceptsSpecs(t *testing.T) {
	for _, name := range Cases() {
		src, _ := Case(name)
		over, ok := Case(name + ".published")
		specs := []*Spec{mustParse(t, string(src))}
		if ok {
			specs = append(specs, mustParse(t, string(src), Merge("published", over)))
		}
		for _, s := range specs {
			if msg := disagreement(string(s.YAML())); msg != "" {
				t.Errorf("%s as printed: %s", name, msg)
			}
		}
		if err := compiled().Validate(plainJSON(specs[0].origin)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, part := range []string{
		"set: {kind: product, parts: [{size: 1, kind: whole}, {size: 1, kind: product, parts: [{size: 1, kind: box, lower: -.inf, upper: [1]}]}]}",
		"set: {kind: intersection, of: [{kind: ball, radius: 1, center: null}, {kind: intersection, of: [{kind: whole}]}]}",
		"set: {kind: affine, matrix: [[1, 1]], rhs: [1]}",
	} {
		if msg := disagreement(strings.Replace(small, "set: {kind: ball, radius: 1}", part, 1)); msg != "" {
			t.Errorf("%s: %s", part, msg)
		}
	}
}

// Every line of every case, left out or with another value: the schema refuses what is not read, and only that.
func TestSchemaAgreesAboutDamagedSpecs(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and on one goroutine")
	}
	agree := evidence.For(t, evidence.Promise{Name: "schema", Text: "specs of the cases with a line left out or another value: refused by the JSON Schema, as an independent validator has it, and read key by key, or the other way round"})
	value := regexp.MustCompile(`: [^{\[].*$`)
	for _, name := range Cases() {
		src, _ := Case(name)
		lines := strings.SplitAfter(string(src), "\n")
		for i, line := range lines {
			damaged := []string{""}
			for _, other := range []string{"-1", "0.5", "null", "x", "[1]", "{a: 1}", "true"} {
				damaged = append(damaged, value.ReplaceAllString(strings.TrimSuffix(line, "\n"), ": "+other)+"\n")
			}
			for _, other := range slices.Compact(damaged) {
				text := strings.Join(lines[:i], "") + other + strings.Join(lines[i+1:], "")
				said := disagreement(text)
				agree.Case(said == "", "%s, line %d as %q: %s", name, i+1, other, said)
			}
		}
	}
}

// docs/spec.schema.json is what editors are pointed to.
func TestSchemaFile(t *testing.T) {
	const file = "../docs/spec.schema.json"
	schema := Schema(kind.Standard())
	if os.Getenv("KEDGE_UPDATE") != "" {
		if err := os.WriteFile(file, schema, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(file)
	if err != nil || !bytes.Equal(text, schema) {
		t.Errorf("%s is not what kedge spec schema prints (%v): run KEDGE_UPDATE=1 go test -run SchemaFile ./problem/...", file, err)
	}
}
