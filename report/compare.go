package report

import (
	"context"
	"fmt"
	"github.com/kedge-opt/kedge/report/question"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/internal/phrase"
	"github.com/kedge-opt/kedge/problem/kind"
	"github.com/kedge-opt/kedge/report/draw"
	"github.com/kedge-opt/kedge/report/page"
	"github.com/kedge-opt/kedge/report/plot"
)

// compared reads runs under the names of their folders.
func compared(ctx context.Context, kinds *kind.Catalogue, trust folder.Reading, dirs []string) (*page.Document, error) {
	var runs []labelled
	for i, label := range labelsFor(dirs) {
		r, err := folder.Open(ctx, dirs[i], trust)
		if err != nil {
			return nil, err
		}
		runs = append(runs, newLabelled(kinds, label, r))
	}
	figures, err := Figures(together(runs))
	return severalRuns(runs, figures), err
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
func severalRuns(runs []labelled, figures []draw.Figure) *page.Document {
	differ := differences(runs)
	all := methodEnds(runs...)
	most := slices.Max(lists.Of(runs, func(r labelled) int { return valueDigits(r.Result) }))
	labels := lists.Of(runs, labelOf)
	return &page.Document{
		Title: phrase.Enumerate(labels), Facts: fmt.Sprintf("%s · %s", phrase.Count(len(runs), "run"), phrase.Count(len(all), "method")),
		Warnings: comparedWarnings(runs, differ), Question: comparedQuestion(runs, differ),
		Verdict: comparedVerdict(runs, all), Graphs: graphsOf(strandsAcross(runs), rulesAcross(runs), most),
		Tables:  []page.TextTable{differTable(labels, differ), methodsAcross(runs, all), offlineAcross(runs)},
		Figures: figures, Sections: sectionsAcross(runs),
		Repeat: "kedge report " + strings.Join(lists.Of(labels, quoted), " "), Origin: lists.Of(runs, originOf),
	}
}

// quoted is a label as a shell takes it.
func quoted(label string) string {
	if strings.Trim(label, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,/-") == "" {
		return label
	}
	return "'" + strings.ReplaceAll(label, "'", `'\''`) + "'"
}

// together is all runs as one result, for figures; their stable points are left out, since they may differ.
func together(runs []labelled) *folder.Result {
	all := &folder.Result{Stable: folder.NoPoint()}
	for _, r := range runs {
		all.Maximize = r.Maximize
		for _, run := range r.Runs {
			run.Name = r.named(run)
			all.Runs = append(all.Runs, run)
		}
	}
	return all
}

// difference is a key that the specs do not agree on, with the value in each, empty where it is absent.
type difference struct {
	key    string
	values []string
}

// differences lists the keys on which specs differ, in the order of the first spec that has them.
func differences(runs []labelled) []difference {
	at := map[string]int{}
	var all []difference
	for i, r := range runs {
		if r.spec == nil {
			continue
		}
		for _, one := range r.spec.Settings() {
			if _, known := at[one.Key]; !known {
				at[one.Key] = len(all)
				all = append(all, difference{one.Key, make([]string, len(runs))})
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
	list := acrossRuns(runs, func(r labelled) []string { return warnings(r.Result) })
	if slices.ContainsFunc(differ, difference.asks) {
		list = append(list, "The runs do not ask the same question (see what differs), so a gap or a distance is relative to the optimum of its own run.")
	}
	if slices.ContainsFunc(runs, func(r labelled) bool { return r.Build != runs[0].Build }) {
		list = append(list, "The runs were made by different builds; the last digits may differ for that reason alone.")
	}
	return list
}

// comparedQuestion names the runs and says what they have in common.
func comparedQuestion(runs []labelled, differ []difference) []page.Term {
	list := lists.Of(runs, func(r labelled) page.Term { return page.Term{Name: r.label, Text: r.Case + ": " + facts(r.Result)} })
	if len(differ) > 0 {
		list = append(list, page.Term{Name: "What differs", Text: keyed(differ)})
	}
	for i, t := range question.Of(runs[0].spec) {
		if !slices.ContainsFunc(runs, func(r labelled) bool { return r.spec == nil || question.Of(r.spec)[i] != t }) {
			list = append(list, t)
		}
	}
	return list
}

// keyed names the first keys of some differences with their values.
func keyed(differ []difference) string {
	const most = 5
	list := lists.Of(differ[:min(len(differ), most)], func(d difference) string {
		return d.key + " (" + strings.Join(lists.Of(d.values, setting), ", ") + ")"
	})
	if more := len(differ) - most; more > 0 {
		list = append(list, phrase.Count(more, "more key"))
	}
	return phrase.Enumerate(list) + "."
}

// comparedVerdict ranks the methods of all runs and says where retraining settles in each.
func comparedVerdict(runs []labelled, all []methodEnd) page.Finding {
	j := judge(all)
	j.Reasons = append(j.Reasons, acrossRuns(runs, func(r labelled) []string { return lasting(r.Result) })...)
	j.Cautions = acrossRuns(runs, func(r labelled) []string { return cautions(diagnosed(r.Result, r.spec)) })
	return j
}

func labelOf(r labelled) string { return r.label }

// under names the runs that say something, unless all do.
func (s shareable[W]) under(runs []labelled) string {
	if len(s.by) == len(runs) {
		return ""
	}
	return phrase.Enumerate(s.by) + ": "
}

// acrossRuns lists what runs say, each thing once, behind the names of those that say it.
func acrossRuns(runs []labelled, say func(labelled) []string) []string {
	return lists.Of(gathered(runs, labelOf, say), func(s shareable[string]) string { return s.under(runs) + s.said })
}

// strandsAcross gives methods colours and runs dashes or, when there are more runs than methods, the other way round.
func strandsAcross(runs []labelled) (list []strand) {
	methods := lists.Distinct(slices.Concat(lists.Of(runs, func(r labelled) []string { return names(r.Result) })...))
	styles := plot.StylesOf(methods)
	for i, r := range runs {
		for _, run := range r.Runs {
			s := strand{name: r.named(run), run: run, Style: styles[run.Name]}
			s.Dash = draw.Dashes(i)
			if len(runs) > len(methods) {
				s.Ink, s.Dash = draw.Ink(i), draw.Dashes(slices.Index(methods, run.Name))
			}
			list = append(list, s)
		}
	}
	return list
}

// mostRules is how many levels a chart can show and still be read.
const mostRules = 4

// rulesAcross are the levels of all runs; one that several share is drawn once.
func rulesAcross(runs []labelled) func(id string) []page.GraphRule {
	return func(id string) []page.GraphRule {
		list := []page.GraphRule{}
		for _, one := range gathered(runs, labelOf, func(r labelled) []page.GraphRule { return rulesOf(r.Result, id) }) {
			label, _, _ := strings.Cut(one.said.Label, ":")
			list = append(list, page.GraphRule{Value: one.said.Value, Label: one.under(runs) + label})
		}
		return list[:min(len(list), mostRules)]
	}
}

// differTable shows the keys that tell the runs apart.
func differTable(labels []string, differ []difference) page.TextTable {
	t := page.TextTable{ID: "differences", Title: "What differs", About: "The keys of the specs that are not the same in all runs."}
	if len(differ) == 0 {
		t.About = "The specs are the same in every key."
	}
	t.Columns = lists.Of(append([]string{"key"}, labels...), page.Titled)
	t.Rows = lists.Of(differ, func(d difference) []page.TextCell {
		return append([]page.TextCell{page.Words(d.key)}, lists.Of(d.values, settingCell)...)
	})
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
			t.Rows = append(t.Rows, append([]page.TextCell{page.Words(r.label)}, methodRow(r.Result, run, behind[len(t.Rows)])...))
		}
	}
	return t
}

func offlineAcross(runs []labelled) page.TextTable {
	t := page.TextTable{
		ID: "offline", Title: "Points found offline", About: "What the methods are judged by, and where retraining settles.",
		Columns: append(page.Heads("run", "optimum", "residual", "stable point", "its gap", "its distance"), page.Head{Name: "standing of the optimum"}),
	}
	for _, r := range runs {
		value := valueFormat(r.Result)
		t.Rows = append(t.Rows, []page.TextCell{
			page.Words(r.label), page.Number(r.Optimum.Value, value), page.Number(r.Optimum.Residual, phrase.Plain),
			page.Number(r.Stable.Value, value), page.Number(r.Stable.Gap, phrase.Percent), page.Number(r.Stable.Distance, phrase.Percent), standingCell(&r.Optimum, r.Maximize),
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

// originOf says in one line what made a run.
func originOf(r labelled) page.Term {
	words := lists.Of(origin(r.Seed, r.Build), func(t page.Term) string { return t.Name + " " + t.Text })
	return page.Term{Name: r.label, Text: strings.Join(words, ", ")}
}
