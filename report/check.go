package report

import (
	"strings"

	"github.com/kedge-opt/kedge/doctor"
	"github.com/kedge-opt/kedge/folder"
	"github.com/kedge-opt/kedge/internal/lists"
	"github.com/kedge-opt/kedge/report/page"
)

// Check is what an examination of a model found: on a terminal a remark a check, and what to do where something is wrong.
func Check(r *doctor.Findings) *page.Document {
	d := &page.Document{Title: "Is the model sound?", Verdict: page.Finding{Headline: r.Summary()}}
	signs := map[doctor.Verdict]page.Sign{doctor.Pass: page.Good, doctor.Fail: page.Bad, doctor.Warn: page.Doubtful, doctor.Skip: page.Neutral}
	for _, c := range r.Checks {
		text := c.Figure
		if c.Detail != "" {
			text += ". " + c.Detail
		}
		d.Brief = append(d.Brief, page.Remark{Mark: c.Verdict.Mark(), Title: c.Title, Text: text, Remedy: c.Remedy, Sign: signs[c.Verdict]})
	}
	d.Brief = append(d.Brief, d.Verdict)
	if r.Individuals > 0 {
		d.Facts = r.Seen()
		d.Brief = append(d.Brief, page.Faintly(d.Facts))
	}
	return d
}

// CheckSection is what the page of a run shows of a quick examination.
func CheckSection(r *doctor.Findings) folder.Section {
	d := Check(r)
	return folder.Section{
		ID: "check", Title: d.Title, Verdict: d.Verdict.Headline, Columns: []string{"check", "finding", "what to do"},
		Text: r.Seen() + "; kedge check looks at more.",
		Rows: lists.Of(r.Checks, func(c doctor.Check) []string { return []string{c.Verdict.Mark() + " " + c.Title, c.Figure, c.Remedy} }),
	}
}

// Diagnoses is what of an examination spoils a run: whatever failed, and steps that are too long.
func Diagnoses(r *doctor.Findings) (list []folder.Diagnosis) {
	for _, c := range r.Checks {
		one := folder.Diagnosis{Method: c.Rule, Check: c.ID, Remedy: c.Remedy}
		switch {
		case c.Verdict == doctor.Fail:
			one.Text = "A check failed, " + c.Title + ": " + c.Figure + "."
		case c.Verdict == doctor.Warn && strings.HasPrefix(c.ID, stepCheck):
			one.Text = c.Detail
		default:
			continue
		}
		list = append(list, one)
	}
	return list
}

// stepCheck is how the names of the checks of steps begin.
const stepCheck = "step."
