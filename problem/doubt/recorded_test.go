package doubt

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/kedge-opt/kedge/formula"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/form"
)

// What a spec says of doubt is read, checked, refused and printed as when this was recorded.
func TestDoubtsAsRecorded(t *testing.T) {
	var got []string
	for _, text := range []string{
		"{}", "{draws: d.csv}", "{uncertain: 4}", "{uncertain: 1}", "{decide: mean, uncertain: 1}", "{draws: d.csv, uncertain: 4}", "{draws: d.csv, uncertain: 0}", "{draws: d.csv, uncertain: 2000, decide: regret}", "{draws: d.csv, uncertain: 2001}", "{draws: d.csv, uncertain: -1}", "{decide: mean}", "{draws: d.csv, decide: cvar 0.1}", "{draws: d.csv, uncertain: 2, decide: cvar 0.1}", "{draws: d.csv, uncertain: 2, decide: cvar 1}",
		"{draws: d.csv, uncertain: 2, decide: cvar 0}", "{draws: d.csv, uncertain: 2, decide: cvar}", "{draws: d.csv, uncertain: 2, decide: mean 0.1}", "{draws: d.csv, uncertain: 2, decide: best}", "{draws: d.csv, uncertain: x, decide: mean}", "{draws: '', uncertain: 2}", "{uncertain: x}", "{decide: x, uncertain: 0}",
	} {
		for _, toCome := range []bool{false, true} {
			d, found := &Doubt{}, &form.Mistakes{}
			root := form.ReadText(found, form.Place{File: "x.yaml"}, text)
			root.Locate("")
			form.Read(root, found, d.Describe)
			d.Check(&form.Check{Mistakes: found, Root: root}, toCome)
			got = append(got, fmt.Sprintf("%s to come %v: %s by %+v", text, toCome, form.Print(d.Describe).Flow(), d.Rule()))
			for _, err := range []error{found.Join(), d.Certain("this takes numbers for true"), d.ByMean("this knows the mean")} {
				got = append(got, "  "+strings.ReplaceAll(fmt.Sprint(err), "\n", "\n  "))
			}
		}
	}
	for _, k := range form.NewVocabulary((&Doubt{}).Describe).Keys() {
		text, err := json.Marshal(k)
		got = append(got, fmt.Sprint(string(text), err))
	}
	evidence.AsRecorded(t, "testdata/doubts.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

// Files of draws are read, aimed, put and refused as when this was recorded.
func TestDrawsAsRecorded(t *testing.T) {
	var got []string
	for _, text := range []string{
		"habit\n0.5\n0.6\n", "habit,b[0],b[1]\n0.5,1,2\n0.6,3,4\n", "\"B[0,0]\",\"B[1,2]\",dynamics.lambda\n1,2,3\n4,5,6\n", "dynamics.lambda\n1\n2\n", "dynamics.lambda,dynamics.lambda\n1,1\n2,2\n", "habit\n0.5\ninf\n", "habit\n0.5\n-inf\n", "habit,b[0]\n1,2\n3,\n", "habit\n1\nx\n", "b[-1]\n1\n2\n", "b[0\n1\n2\n", "\"b[0,0]\"\n1\n2\n", "\"B[0,3]\"\n1\n2\n", "\"B[1,-1]\"\n1\n2\n", "habit,zzzzzz\n1,2\n3,4\n", "\"B[2,0]\"\n1\n2\n", "\"B[0,1,2]\"\n1\n2\n", "B\n1\n2\n", "both[0]\n1\n2\n", "hobit\n1\n2\n", "habit\n1\n", "habit\n", "",
		"habit,\"b[0]\",\"b[ 0]\"\n1,2,3\n1,2,3\n",
	} {
		d := Doubt{Draws: "d.csv", Uncertain: 2}
		got = append(got, fmt.Sprintf("%q", text))
		table, err := d.Read(t.Context(), fstest.MapFS{"d.csv": {Data: []byte(text)}})
		if err != nil {
			got = append(got, fmt.Sprintf("  %T %v", err, err))
			continue
		}
		from := lets()
		aims, err := table.Targets("d.csv", from)
		got = append(got, fmt.Sprintf("  %q %v at %+v %v", table.Names, table.Rows, aims, err))
		if err != nil {
			continue
		}
		for _, row := range table.Rows {
			got = append(got, "  "+numbers(Put(from, aims, row))+" from "+numbers(from))
		}
	}
	evidence.AsRecorded(t, "testdata/draws.txt", strings.Split(strings.Join(got, "\n"), "\n"))
}

func numbers(list []formula.Binding) (text string) {
	for _, l := range list {
		if l.Data != nil {
			text += fmt.Sprint(l.Name, l.Data.Data, " ")
		}
	}
	return text
}
