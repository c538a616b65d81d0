package report

import (
	"regexp"
	"strings"
	"testing"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
)

// What people named comes out as they wrote it, without meaning anything to Markdown.
func TestMarkdownEscapesWhatPeopleNamed(t *testing.T) {
	r := polarizedEvery(100)
	const hostile = "a|b\n# <script>alert(1)</script> [x](javascript:y) `c` *d* _e_"
	r.Case, r.Runs[0].Name, r.Notes = hostile, hostile, []string{hostile, "- item"}
	r.Spec = "```\n# out of the fence\n```"
	r.Sections = []folder.Section{{ID: "s", Title: hostile, Verdict: "✗ " + hostile, Columns: []string{hostile}, Rows: [][]string{{hostile}}}}
	text := string(runDocument(kind.Standard(), r, nil).Markdown())
	if bare := regexp.MustCompile("[^\\\\]([<>`*_]|\\]\\()").FindString(strings.Split(strings.ReplaceAll(text, "**", ""), "## Spec")[0]); bare != "" && !strings.HasPrefix(bare, "\n>") {
		t.Errorf("%q came through", bare)
	}
	if !strings.Contains(text, "\n````yaml\n```\n# out of the fence\n```\n````\n") {
		t.Error("the spec breaks out of its fence")
	}
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "| ") && strings.Contains(strings.ReplaceAll(line, `\|`, ""), "script") && strings.Count(strings.ReplaceAll(line, `\|`, ""), "|") > 7 {
			t.Errorf("a name broke a row: %s", line)
		}
	}
}

func TestMarkdownShowsWhatThePageShows(t *testing.T) {
	r := polarizedEvery(100)
	d := runDocument(kind.Standard(), r, []draw.Figure{{Name: "gap", Title: "Gap"}})
	text := string(d.Markdown())
	for _, want := range []string{"**" + d.Verdict.Headline + "**", "| vanilla | 20 | ", "![Gap](gap.svg)", "```yaml\nseed: 1\n", "\nkedge run spec.yaml"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
}
