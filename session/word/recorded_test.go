package word_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kedge-opt/kedge"
	"github.com/kedge-opt/kedge/internal/evidence"
	"github.com/kedge-opt/kedge/problem/live"
	"github.com/kedge-opt/kedge/session/guard"
	"github.com/kedge-opt/kedge/session/word"
)

var noon = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// conditions are loops in all kinds of trouble, by what is special about them.
func conditions() []struct {
	name   string
	change func(c *word.Condition)
} {
	return []struct {
		name   string
		change func(c *word.Condition)
	}{
		{"nothing is known", func(*word.Condition) {}},
		{"shadow", func(c *word.Condition) { c.Mode = "shadow" }},
		{"paused", func(c *word.Condition) { c.Mode = "paused" }},
		{"killed", func(c *word.Condition) { c.Mode, c.Terms.Safe = "killed", []float64{4, -0.5} }},
		{"killed to eight", func(c *word.Condition) { c.Mode, c.Terms.Safe = "killed", make([]float64, 8) }},
		{"killed to nine", func(c *word.Condition) { c.Mode, c.Terms.Safe = "killed", make([]float64, 9) }},
		{"archived", func(c *word.Condition) { c.Mode, c.Pinned = "archived", true }},
		{"pinned", func(c *word.Condition) { c.Pinned = true }},
		{"live", func(c *word.Condition) { c.LiveK, c.LiveSince = 3, noon.Add(-90*time.Minute) }},
		{"live from now on", func(c *word.Condition) { c.LiveK, c.LiveSince = 3, noon.Add(time.Hour) }},
		{"proposed", func(c *word.Condition) { c.K, c.Stage, c.Change = 4, "proposed", 0.25 }},
		{"proposed in time", func(c *word.Condition) { c.K, c.Stage, c.Due = 4, "proposed", at(1) }},
		{"open", func(c *word.Condition) { c.K, c.Stage, c.Due = 4, "open", at(1) }},
		{"deployed", func(c *word.Condition) { c.K, c.Stage, c.Have, c.Terms.Least = 4, "deployed", 4, 5 }},
		{"deployed, now due", func(c *word.Condition) { c.K, c.Stage, c.Due, c.Have, c.Terms.Least = 4, "deployed", at(0), 5, 5 }},
		{"deployed, overdue", func(c *word.Condition) { c.K, c.Stage, c.Due, c.Have, c.Terms.Least = 4, "deployed", at(-1), 6, 5 }},
		{"held", func(c *word.Condition) { c.K, c.Held = 3, []string{"a is so", "b is so", "c is so"} }},
		{"held for nothing", func(c *word.Condition) { c.K, c.Held = 3, []string{} }},
		{"capped", func(c *word.Condition) {
			c.Reasons = []string{"the weather", "cap.norm binds: 2 wanted, 1 allowed", "cap.day binds"}
		}},
		{"deployed beside it", func(c *word.Condition) { c.Off, c.Terms.Lead = 0.1, new(0.1) }},
		{"deployed far from it", func(c *word.Condition) { c.Off, c.Terms.Lead = 0.2, new(0.1) }},
		{"learned nothing", func(c *word.Condition) { c.Learned = new(0.0) }},
		{"learned", func(c *word.Condition) { c.Learned = new(0.25) }},
		{"alarms", func(c *word.Condition) {
			c.Alarms = map[string]string{"trust": "people answer otherwise", "infeasible": "it breaks the set", "guardrail.load": "load acts", "guardrail.gone": "gone acts", "not-deployed": "", "deployed-late": "late", "state-unsound": "bits", "data-overdue": "no data", "other": "who knows"}
			c.Guarded = &guard.Verdicts{Rails: []guard.Judged{{Name: "gone", Verdict: guard.Pass, Words: "gone is over"}, {Name: "load", Verdict: guard.Fail, Acts: live.Hold, Words: "load is 9"}}}
		}},
		{"alarm of a rollback", func(c *word.Condition) {
			c.Alarms = map[string]string{"guardrail.load": "load acts"}
			c.Guarded = &guard.Verdicts{Rails: []guard.Judged{{Name: "load", Verdict: guard.Fail, Acts: live.GoBack, Words: "load is 9"}}}
		}},
	}
}

func at(hours int) *time.Time { t := noon.Add(time.Duration(hours) * time.Hour); return &t }

func told(cards []word.Card) (list []string) {
	for _, c := range cards {
		list = append(list, strings.TrimSuffix(fmt.Sprintf("  %s, %s: %s → %s", c.Name, c.State, c.Words, c.Do), " → "))
	}
	return list
}

// Loops in all kinds of trouble say so in the words of when this was recorded.
func TestCardsAsRecorded(t *testing.T) {
	var got []string
	for _, one := range conditions() {
		c := word.Condition{Now: noon, Mode: "live", Terms: &live.Arrangement{}}
		one.change(&c)
		got = append(append(got, one.name+":"), told(c.Cards())...)
	}
	evidence.AsRecorded(t, "testdata/cards.txt", got)
}

// guarded are verdicts of guards, by what is special about them.
func guarded() map[string]func(c *word.Condition) {
	all := map[string]func(c *word.Condition){
		"a some out of range": func(c *word.Condition) {
			c.Guarded.Outside, c.Guarded.First = 2, &guard.Suspect{Row: 7, What: "p", Entry: 1, Value: 99.5}
		},
		"b some far": func(c *word.Condition) {
			c.Guarded.Outside, c.Guarded.First = 2, &guard.Suspect{Row: 7, What: "d", Entry: 0, Value: -99.5, Off: 40}
		},
		"c some unnamed": func(c *word.Condition) { c.Guarded.Outside = 1 },
		"d too many": func(c *word.Condition) {
			c.Guarded.Outside, c.Held = 9, []string{"first", "9 % of answers are far from all seen before"}
		},
		"e others":             func(c *word.Condition) { c.Held = []string{"others answer than at first: so it is"} },
		"f ratio unknown":      func(c *word.Condition) { c.Guarded.Ratio = &guard.AnswerRatio{Turns: 2, Verdict: guard.Unsure} },
		"g ratio trusted":      func(c *word.Condition) { c.Guarded.Ratio = ratio(guard.Trusted) },
		"h ratio distrusted":   func(c *word.Condition) { c.Guarded.Ratio = ratio(guard.Distrusted) },
		"i ratio, only warned": func(c *word.Condition) { c.Guarded.Ratio, c.Terms.TrustOtherwise = ratio(guard.Distrusted), live.Warn },
	}
	for _, kind := range []string{live.Metric, live.External, live.Swing} {
		for _, verdict := range []string{guard.Pass, guard.Fail, guard.Inconclusive} {
			for _, acts := range []string{"", live.Hold, live.Warn, live.GoBack, live.Kill} {
				for _, value := range []*float64{nil, new(1.5)} {
					name := strings.Join([]string{"rail", kind, verdict, acts}, " ")
					if value != nil {
						name += " of a value"
					}
					all[name] = func(c *word.Condition) {
						c.Guarded.Rails = []guard.Judged{{Name: "x", Kind: kind, Verdict: verdict, Acts: acts, Value: value, Words: "it is so"}}
					}
				}
			}
		}
	}
	return all
}

func ratio(verdict string) *guard.AnswerRatio {
	return &guard.AnswerRatio{Ratio: new(0.5), Low: new(0.25), High: new(0.75), Turns: 3, Verdict: verdict}
}

// What guards found is said in the words of when this was recorded.
func TestCardsOfGuardsAsRecorded(t *testing.T) {
	var got []string
	all := guarded()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		c := word.Condition{Now: noon, Mode: "live", Guarded: &guard.Verdicts{K: 3, Counted: 40}, Terms: &live.Arrangement{Beyond: 12, TrustWindow: 30, TrustOtherwise: live.Hold}}
		all[name](&c)
		for _, line := range told(c.Cards())[2:] {
			got = append(got, name+line)
		}
	}
	evidence.AsRecorded(t, "testdata/guards.txt", got)
}

// Moves of all kinds are said in the words of when this was recorded.
func TestMovesAsRecorded(t *testing.T) {
	var got []string
	names := kedge.Names{Symbol: "q"}
	names.Decision = append(names.Decision, kedge.Called{Name: "price of bread", Unit: "€"}, kedge.Called{}, kedge.Called{Unit: "kg"})
	names.Value.Name = "revenue"
	for _, m := range []word.Move{
		{Was: []float64{1, 2}, U: []float64{1, 2}},
		{Was: []float64{1, 2}, U: []float64{1, 2}, Rests: 3},
		{Was: []float64{1, 2}, U: []float64{1.5, 2}},
		{Was: []float64{1, 2}, U: []float64{1.5, 1}},
		{Was: []float64{1, 2, 3}, U: []float64{1.5, 1, 3.25}},
		{Was: []float64{1, 2, 3, 4}, U: []float64{1.5, 1, 3.25, 4}},
		{Was: []float64{1, 2, 3, 4, 5}, U: []float64{1.125, 2.125, 3.125, 4.25, 5.5}, Names: names},
		{Was: []float64{1, 2, 3}, U: []float64{2, 1, 3.5}, Names: names, Direct: []float64{-1, 1, -1}, Answer: []float64{-1, 2, 0}},
		{Was: []float64{1, 2, 3}, U: []float64{2, 1, 3.5}, Names: names, Direct: []float64{1, -1, 0}, Answer: []float64{-2, 1, -1}},
		{Was: []float64{1, 2, 3}, U: []float64{2, 1, 3.5}, Direct: []float64{-2, 1, 1}, Answer: []float64{1, -1, 0}},
		{Was: []float64{1, 2, 3}, U: []float64{2, 1, 3.5}, Direct: []float64{-1, 1, 2}, Answer: []float64{1, -0.25, -1}},
		{Was: []float64{1, 2, 3}, U: []float64{2, 1, 3.5}, Direct: []float64{1, 1, 0}, Answer: []float64{1}},
		{Was: []float64{1, 2}, U: []float64{2, 3}, Direct: []float64{1}, Answer: []float64{1, 2}},
		{Was: []float64{1}, U: []float64{2}, Direct: []float64{-3}, Answer: []float64{3}},
		{Was: []float64{1}, U: []float64{2}, Direct: []float64{3}, Answer: []float64{-3}},
		{Was: []float64{1}, U: []float64{1}, Rests: 1},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{1}, Answer: []float64{-2.5}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{-2.5}, Answer: []float64{1}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{-1}, Answer: []float64{2}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{2}, Answer: []float64{-1}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{0}, Answer: []float64{-1}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{0}, Answer: []float64{1}},
		{Was: []float64{1}, U: []float64{3}, Direct: []float64{1}, Answer: []float64{0}},
	} {
		got = append(got, strings.Join(m.Sentences(), " "))
	}
	for _, basis := range []string{"hold", "baseline", "pinned", "rollback", "safe", "step"} {
		got = append(got, basis+": "+word.Ground(basis, nil, []string{"cap.norm binds", "", "élan"}))
	}
	got = append(got, word.Ground("step", &word.Move{Was: []float64{1}, U: []float64{2}}, nil))
	evidence.AsRecorded(t, "testdata/moves.txt", got)
}
