package report

import (
	"fmt"
	"image/color"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// labelled is a result under the name that a comparison gives it.
type labelled struct {
	label string
	*folder.Result
}

// compared reads runs under the names of their folders.
func compared(kinds *kind.Catalogue, dirs []string) (*page.Document, error) {
	var runs []labelled
	for i, label := range labelsFor(dirs) {
		r, err := folder.Open(dirs[i])
		if err != nil {
			return nil, err
		}
		runs = append(runs, labelled{label, r})
	}
	figures, err := Figures(together(runs))
	return severalRuns(kinds, runs, figures), err
}

// labelsFor are the names of folders, their whole paths where those are not enough, and numbers where nothing is.
func labelsFor(dirs []string) []string {
	short, long, seen := make([]string, len(dirs)), make([]string, len(dirs)), map[string]int{}
	for i, dir := range dirs {
		short[i], long[i] = filepath.Base(filepath.Clean(dir)), filepath.ToSlash(filepath.Clean(dir))
	}
	if len(slices.Compact(slices.Sorted(slices.Values(short)))) == len(dirs) {
		return short
	}
	for i, label := range long {
		if seen[label]++; seen[label] > 1 {
			long[i] = fmt.Sprintf("%s (%d)", label, seen[label])
		}
	}
	return long
}

// severalRuns says what several runs found and what tells them apart.
func severalRuns(kinds *kind.Catalogue, runs []labelled, figures []draw.Figure) *page.Document {
	specs := specsOf(kinds, runs)
	differ := differences(specs)
	all := methodEndsAcross(runs, specs)
	most := 0
	for _, r := range runs {
		most = max(most, valueDigits(r.Result))
	}
	return &page.Document{
		Title: phrase.Enumerate(labelsOf(runs)), Facts: fmt.Sprintf("%s · %s", phrase.Count(len(runs), "run"), phrase.Count(len(all), "method")),
		Warnings: comparedWarnings(runs, differ), Question: comparedQuestion(runs, specs, differ),
		Verdict: comparedVerdict(runs, all), Graphs: graphsOf(strandsAcross(runs), rulesAcross(runs), most),
		Tables:  []page.TextTable{differTable(runs, differ), methodsAcross(runs, all), offlineAcross(runs)},
		Figures: figures, Sections: sectionsAcross(runs),
		Repeat: "kedge report " + strings.Join(quoted(runs), " "), Origin: originsOf(runs),
	}
}

func labelsOf(runs []labelled) []string {
	var list []string
	for _, r := range runs {
		list = append(list, r.label)
	}
	return list
}

// quoted are the labels as a shell takes them.
func quoted(runs []labelled) []string {
	var list []string
	for _, l := range labelsOf(runs) {
		if strings.Trim(l, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,/-") != "" {
			l = "'" + strings.ReplaceAll(l, "'", `'\''`) + "'"
		}
		list = append(list, l)
	}
	return list
}

func specsOf(kinds *kind.Catalogue, runs []labelled) []*problem.Spec {
	var list []*problem.Spec
	for _, r := range runs {
		list = append(list, specOf(kinds, r.Result))
	}
	return list
}

// together is all runs as one result, for figures; their stable points are left out, since they may differ.
func together(runs []labelled) *folder.Result {
	nowhere := folder.Point{Value: math.NaN(), Gap: math.NaN(), Distance: math.NaN()}
	all := &folder.Result{Stable: nowhere}
	for _, r := range runs {
		all.Maximize = r.Maximize
		for _, run := range r.Runs {
			run.Name = r.label + " · " + run.Name
			all.Runs = append(all.Runs, run)
		}
	}
	return all
}

// methodEndsAcross are the methods of all runs.
func methodEndsAcross(runs []labelled, specs []*problem.Spec) []methodEnd {
	var list []methodEnd
	for i, r := range runs {
		for _, run := range r.Runs {
			list = append(list, newMethodEnd(r.label+" · "+run.Name, run, isExact(specs[i], run.Name)))
		}
	}
	return list
}

// difference is a key that the specs do not agree on, with the value in each, empty where it is absent.
type difference struct {
	key    string
	values []string
}

// differences lists the keys on which specs differ, in the order of the first spec that has them.
func differences(specs []*problem.Spec) []difference {
	at := map[string]int{}
	var all []difference
	for i, s := range specs {
		if s == nil {
			continue
		}
		for _, one := range s.Settings() {
			if _, known := at[one.Key]; !known {
				at[one.Key] = len(all)
				all = append(all, difference{one.Key, make([]string, len(specs))})
			}
			all[at[one.Key]].values[i] = one.Value
		}
	}
	return slices.DeleteFunc(all, func(d difference) bool {
		return !slices.ContainsFunc(d.values, func(v string) bool { return v != d.values[0] })
	})
}

// asks tells whether a key belongs to the question, rather than to how it is answered or looked at.
func (d difference) asks() bool {
	section, _, _ := strings.Cut(d.key, ".")
	return slices.Contains([]string{"population", "model", "dynamics", "objective", "set", "seed", "generator"}, section)
}

func comparedWarnings(runs []labelled, differ []difference) []string {
	var list []string
	for _, one := range gathered(runs, warnings) {
		list = append(list, one.under(runs)+one.words)
	}
	if slices.ContainsFunc(differ, difference.asks) {
		list = append(list, "The runs do not ask the same question (see what differs), so a gap or a distance is relative to the optimum of its own run.")
	}
	if slices.ContainsFunc(runs, func(r labelled) bool { return r.Build != runs[0].Build }) {
		list = append(list, "The runs were made by different builds; the last digits may differ for that reason alone.")
	}
	return list
}

// comparedQuestion names the runs and says what they have in common.
func comparedQuestion(runs []labelled, specs []*problem.Spec, differ []difference) []page.Term {
	var list []page.Term
	for _, r := range runs {
		list = append(list, page.Term{Name: r.label, Text: r.Case + ": " + facts(r.Result)})
	}
	if len(differ) > 0 {
		list = append(list, page.Term{Name: "What differs", Text: keyed(differ)})
	}
	for i, t := range question(specs[0]) {
		common := !slices.ContainsFunc(specs, func(s *problem.Spec) bool { return s == nil || question(s)[i] != t })
		if common {
			list = append(list, t)
		}
	}
	return list
}

// keyed names the first keys of some differences with their values.
func keyed(differ []difference) string {
	const most = 5
	var list []string
	for _, d := range differ[:min(len(differ), most)] {
		var values []string
		for _, v := range d.values {
			values = append(values, settingCell(v).Text)
		}
		list = append(list, d.key+" ("+strings.Join(values, ", ")+")")
	}
	if more := len(differ) - most; more > 0 {
		list = append(list, phrase.Count(more, "more key"))
	}
	return phrase.Enumerate(list) + "."
}

// comparedVerdict ranks the methods of all runs and says where retraining settles in each.
func comparedVerdict(runs []labelled, all []methodEnd) page.Finding {
	j := judge(all)
	for _, one := range gathered(runs, func(r *folder.Result) []string { return []string{retrained(r)} }) {
		if one.words != "" {
			j.Reasons = append(j.Reasons, one.under(runs)+one.words)
		}
	}
	return j
}

// shareable is something that one or several runs say.
type shareable struct {
	words string
	by    []string
}

// gathered lists what runs say, each thing once.
func gathered(runs []labelled, say func(*folder.Result) []string) []shareable {
	var list []shareable
	for _, r := range runs {
		for _, words := range say(r.Result) {
			i := slices.IndexFunc(list, func(s shareable) bool { return s.words == words })
			if i < 0 {
				i, list = len(list), append(list, shareable{words: words})
			}
			list[i].by = append(list[i].by, r.label)
		}
	}
	return list
}

// under names the runs that say something, unless all do.
func (s shareable) under(runs []labelled) string {
	if len(s.by) == len(runs) {
		return ""
	}
	return phrase.Enumerate(s.by) + ": "
}

// strandsAcross gives methods colours and runs dashes or, when there are more runs than methods, the other way round.
func strandsAcross(runs []labelled) []strand {
	all := together(runs)
	var methods []string
	for _, r := range runs {
		for _, run := range r.Runs {
			if !slices.Contains(methods, run.Name) {
				methods = append(methods, run.Name)
			}
		}
	}
	byMethod := plot.StylesOf(methods)
	var list []strand
	for i, r := range runs {
		for _, run := range r.Runs {
			s := strand{name: all.Runs[len(list)].Name, run: run, ink: byMethod[run.Name].Ink, dash: dashes(i)}
			if len(runs) > len(methods) {
				s.ink, s.dash = inkOf(i), dashes(slices.Index(methods, run.Name))
			}
			list = append(list, s)
		}
	}
	return list
}

func inkOf(i int) color.NRGBA {
	inks := []uint32{0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xb07a00, 0x3f93c7, 0x4d4d4d}
	return draw.Hex(inks[i%len(inks)])
}

func dashes(i int) []int { return [][]int{nil, {8, 4}, {2, 3}, {8, 3, 2, 3}}[i%4] }

// mostRules is how many levels a chart can show and still be read.
const mostRules = 4

// rulesAcross are the levels of all runs; one that several share is drawn once.
func rulesAcross(runs []labelled) func(id string) []page.GraphRule {
	return func(id string) []page.GraphRule {
		value := map[string]float64{}
		list := []page.GraphRule{}
		for _, one := range gathered(runs, func(r *folder.Result) (keys []string) {
			for _, rule := range rulesOf(r)(id) {
				key := fmt.Sprintf("%s\x00%x", rule.Label, rule.Value)
				value[key], keys = rule.Value, append(keys, key)
			}
			return keys
		}) {
			label, _, _ := strings.Cut(one.words, "\x00")
			label, _, _ = strings.Cut(label, ":")
			list = append(list, page.GraphRule{Value: value[one.words], Label: one.under(runs) + label})
		}
		return list[:min(len(list), mostRules)]
	}
}

// differTable shows the keys that tell the runs apart.
func differTable(runs []labelled, differ []difference) page.TextTable {
	t := page.TextTable{ID: "differences", Title: "What differs", About: "The keys of the specs that are not the same in all runs.", Columns: []page.Head{{Name: "key"}}}
	if len(differ) == 0 {
		t.About = "The specs are the same in every key."
	}
	for _, r := range runs {
		t.Columns = append(t.Columns, page.Head{Name: r.label})
	}
	for _, d := range differ {
		row := []page.TextCell{page.Words(d.key)}
		for _, v := range d.values {
			row = append(row, settingCell(v))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// methodsAcross is the table of all methods at the end, run by run.
func methodsAcross(runs []labelled, all []methodEnd) page.TextTable {
	t := page.TextTable{
		ID: "methods", Title: "Methods",
		About: "Every method at its end: the mean over its trials, below it the least and the greatest. " +
			"Gap and distance are relative to the optimum of the run; the last column is the gap behind the best with its interval, paired over trials.",
		Columns: page.Heads("run", "method", "trials", "value", "gap", "distance", "behind the best"),
	}
	t.Columns[1].Numeric = false
	t.Columns[0].Choices, t.Columns[1].Choices = true, true
	behind := behinds(all)
	for _, r := range runs {
		for _, run := range r.Runs {
			t.Rows = append(t.Rows, []page.TextCell{
				page.Words(r.label), page.Words(run.Name), page.Count(len(run.Trials)), statCell(run, "value", valueFormat(r.Result)),
				statCell(run, "gap", phrase.Percent), statCell(run, "distance", phrase.Percent), behind[len(t.Rows)],
			})
		}
	}
	return t
}

func offlineAcross(runs []labelled) page.TextTable {
	t := page.TextTable{
		ID: "offline", Title: "Points found offline", About: "What the methods are judged by, and where retraining settles.",
		Columns: page.Heads("run", "optimum", "residual", "stable point", "its gap", "its distance"),
	}
	for _, r := range runs {
		value := valueFormat(r.Result)
		t.Rows = append(t.Rows, []page.TextCell{
			page.Words(r.label), page.Number(r.Optimum.Value, value), page.Number(r.Optimum.Residual, phrase.Plain),
			page.Number(r.Stable.Value, value), page.Number(r.Stable.Gap, phrase.Percent), page.Number(r.Stable.Distance, phrase.Percent),
		})
	}
	return t
}

// sectionsAcross takes over the sections of all runs, each under the name of its run.
func sectionsAcross(runs []labelled) []page.Chapter {
	var list []page.Chapter
	for i, r := range runs {
		for _, s := range sectionsOf(r.Sections) {
			s.ID, s.Title = fmt.Sprintf("run-%d-%s", i, s.ID), r.label+": "+s.Title
			if s.Table != nil {
				s.Table.ID = s.ID
			}
			list = append(list, s)
		}
	}
	return list
}

func originsOf(runs []labelled) []page.Term {
	var list []page.Term
	for _, r := range runs {
		var words []string
		for _, t := range origin(r.Result) {
			words = append(words, t.Name+" "+t.Text)
		}
		list = append(list, page.Term{Name: r.label, Text: strings.Join(words, ", ")})
	}
	return list
}
